import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '#src/base/package-root.js';
import { shellBlocks, typeBlock } from '../../support/document.js';
import { cliJson, type Finished } from '../../support/processes.js';
import { mustStaySecret } from '../../support/said-aloud.js';
import { buildTinyModel } from '../../support/tiny-model.js';
import { serverProgram } from '../../support/web-servers.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const compose = join(process.env['PATHMEND_COMPOSE_DIR'] ?? '/var/tmp/pathmend-compose', 'bin/docker-compose');

describe('docs/operate, typed as printed: rules, traces, a cold copy, the files of compose', function () {
  this.timeout(120_000);
  const folder = temporaryFolder();

  before(async () => {
    for (const name of ['dist', 'deploy']) await symlink(join(packageRoot(), name), join(folder, name));
  });

  async function type(block: string | undefined, env: Record<string, string> = {}, path = ''): Promise<Finished> {
    const PATH = `${path}:${process.env['PATH'] ?? ''}`;
    const finished = await typeBlock(block ?? '', { cwd: folder, env: { PATH, HOME: folder, ...env } });
    expect(finished.code, finished.stderr).to.equal(0);
    return finished;
  }

  it('the rules for Prometheus are checked (where promtool is: scripts/servers/fetch.sh)', async function () {
    const promtool = serverProgram('promtool');
    if (promtool === undefined) this.skip();
    const [block] = await shellBlocks('docs/operate/monitoring.md', 'Metrics and alerts');
    expect((await type(block, {}, dirname(promtool))).stdout).to.match(/SUCCESS: \d+ rules found/);
  });

  it('a collector of traces is a setting that config shows', async () => {
    const [block] = await shellBlocks('docs/operate/monitoring.md', 'Logs and traces');
    const { stdout } = await type(block);
    expect(stdout).to.match(/OTEL_EXPORTER_OTLP_ENDPOINT\s.*http:\/\/127\.0\.0\.1:4318/);
  });

  it('a copy of a stopped embedded database has what it had', async () => {
    const DATA_DIR = join(folder, 'data');
    await cliJson(['project', 'create', '--name', 'copied', '--plan', 'solo'], { DATA_DIR });
    const [block] = await shellBlocks('docs/operate/backup.md', 'Copy the embedded database');
    await type(block);
    await rm(DATA_DIR, { recursive: true, maxRetries: 5 });
    const listed = await cliJson(['project', 'list'], { DATA_DIR: join(folder, 'backup-of-data') });
    expect(JSON.stringify(listed)).to.include('copied');
  });

  it("a model of one's own is calibrated on a site, and measured on it", async () => {
    const { folder: model } = await buildTinyModel({
      folder: join(folder, 'mine'),
      words: ['lamps', 'bells', 'ropes'],
    });
    const rows = (of: object[]): string => of.map((row) => JSON.stringify(row)).join('\n');
    await mkdir(join(folder, 'mysite'));
    const goods = ['lamps', 'bells', 'ropes', 'sails'];
    for (const [name, of] of [
      ['pages', goods.map((it) => ({ url: `https://site.example/shop/${it}`, title: it, content: `We sell ${it}.` }))],
      ['redirects', goods.map((it) => ({ path: `/old/${it}`, expected: `/shop/${it}` }))],
      ['queries', goods.map((it) => ({ query: `where are ${it} sold`, expected: `/shop/${it}` }))],
    ] as const)
      await writeFile(join(folder, 'mysite', `${name}.jsonl`), rows([...of]));
    const script = (name: string): string => `node ${join(packageRoot(), '.build/scripts', name)}`;
    for (const block of await shellBlocks('docs/operate/models.md', 'Your own model')) {
      const typed = block
        .replaceAll('npm run calibrate --', script('model/calibrate.js'))
        .replaceAll('npm run eval --', script('eval/main.js'))
        .replaceAll('/models/mine', model);
      await type(typed);
    }
    const manifest = JSON.parse(await readFile(join(model, 'manifest.json'), 'utf8')) as {
      dimensions: number;
      calibration: { checked: { sites: number } };
    };
    expect(manifest).to.include({ id: 'mine', dimensions: 16 });
    expect(manifest.calibration.checked.sites).to.equal(1);
  });

  it('the secrets and folders of compose are made, and it starts from them (read only: no Docker runs here)', async function () {
    if (!existsSync(compose) || process.getuid?.() !== 0) this.skip();
    for (const name of ['docker-compose.yml', 'docker-compose.production.yml'])
      await cp(join(packageRoot(), name), join(folder, name));
    const [block = ''] = await shellBlocks('docs/operate/deploy.md', 'Compose in production');
    const checked = block.replace('docker compose', compose).replace('up --detach', 'config --quiet');
    expect(checked).to.not.equal(block);
    await type(checked);
    for (const name of ['owner', 'api', 'analyst', 'grafana']) {
      const { stdout } = await type(`cat secrets/${name}_password`);
      mustStaySecret(stdout.trim());
      expect(stdout).to.match(/^[0-9a-f]{48}\n$/);
    }
    const { mode } = await stat(join(folder, 'secrets'));
    expect(mode & 0o777).to.equal(0o700);
    expect((await stat(join(folder, 'backups'))).uid).to.equal(1000);
  });
});
