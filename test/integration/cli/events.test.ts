import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { packageRoot } from '#src/base/package-root.js';
import { JSON_KEYS } from '#src/text/access-logs/json-line.js';
import { shellBlocks, typeBlock } from '../../support/document.js';
import { jsonInProcess, runInProcess } from '../../support/commands.js';
import { type Finished } from '../../support/processes.js';
import { sharedService } from '../../support/shared-service.js';
import type { TestProject } from '../../support/service.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const YESTERDAY = new Date(Date.now() - 86_400_000).toISOString();

/** A log of nginx's in JSON; the second visitor is a robot. */
const LOG =
  ['Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0', 'Googlebot/2.1']
    .map((userAgent) => ({ time_iso8601: YESTERDAY, status: 404, request_uri: '/old', http_user_agent: userAgent }))
    .map((row) => JSON.stringify(row))
    .join('\n') + '\nno request\n';

describe('events import, beside a running server', function () {
  this.timeout(180_000);
  const folder = temporaryFolder();
  let project: TestProject;
  let environment: Record<string, string>;

  before(() => {
    environment = sharedService().database.environment;
  });

  beforeEach(async () => {
    project = await sharedService().newProject();
  });

  async function written(text: string | Buffer): Promise<string> {
    const file = join(folder, `${project.row.project_id}.log`);
    await writeFile(file, text);
    return file;
  }

  const command = (file: string, ...args: string[]): string[] => [
    'events',
    'import',
    '--project',
    project.row.name,
    file,
    ...args,
  ];

  async function piped(input: string | Buffer, ...args: string[]): Promise<Finished> {
    const child = spawn(process.execPath, [join(packageRoot(), 'dist/cli.js'), ...command('-', ...args)], {
      env: { PATH: process.env['PATH'] ?? '', ...environment },
    });
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].on('data', (chunk: Buffer) => {
        output[name] += chunk.toString();
      });
    child.stdin.end(input);
    await once(child, 'close');
    return { code: child.exitCode, ...output };
  }

  it('counts what it stored, and names the lines that it refused', async () => {
    const { code, stdout, stderr } = await runInProcess(command(await written(LOG), '--json'), environment);
    expect(code, stderr).to.equal(0);
    expect(JSON.parse(stdout)).to.deep.equal({ lines: 3, not_founds: 2, robots: 1, duplicates: 0, refused: 1 });
    expect(stderr)
      .to.match(/^Importing \(KiB\) 1\/1 in/)
      .and.to.match(/^line 3: not a JSON object$/m);
    const again = await runInProcess(command(await written(gzipSync(LOG))), environment);
    expect(again.stdout).to.equal(
      '0 404s stored of 3 lines, 0 of them by robots; 2 were stored before, 1 line refused.\n',
    );
  });

  it('reads standard input, packed or not', async () => {
    for (const [input, stored] of [
      [LOG, 2],
      [gzipSync(LOG), 0],
      ['', 0],
    ] as const) {
      const { code, stdout, stderr } = await piped(input, '--json');
      expect(code, stderr).to.equal(0);
      expect(JSON.parse(stdout)).to.include({ not_founds: stored });
    }
  });

  it('names 20 refused lines, and the number of the others', async () => {
    const { stderr } = await runInProcess(command(await written(LOG + 'no request\n'.repeat(49))), environment);
    expect(stderr.match(/^line \d+: /gm)).to.have.length(20);
    expect(stderr).to.contain('30 more lines were refused.');
  });

  it('says what is wrong with a file, a format or a project, with code 1', async () => {
    const log = await written(LOG);
    const wrong: [string[], string][] = [
      [command(join(folder, 'none.log')), 'none.log is not a file that can be read'],
      [command(folder), 'is a folder'],
      [command(log, '--format', 'iis'), '--format'],
      [command(log, '--format', 'xml'), 'combined'],
      [command(log, '--fields', 'where=x'), '--fields: "where=x" is not like path=RequestPath'],
      [command(await written('a,b\n').then(() => log)), 'no known format'],
      [['events', 'import', '--project', 'nobody', log], '"nobody"'],
    ];
    for (const [args, words] of wrong) {
      const { code, stdout, stderr } = await runInProcess([...args, '--json'], environment);
      expect([code, stdout], args.join(' ')).to.deep.equal([1, '']);
      expect(stderr).to.contain(words);
      expect(stderr).to.not.match(/^\s+at /m);
    }
  });

  it('reads the keys of JSON that docs/reference/analytics.md lists', async () => {
    const document = await readFile(join(packageRoot(), 'docs/reference/analytics.md'), 'utf8');
    for (const keys of Object.values(JSON_KEYS))
      expect(document).to.contain(`| ${keys.map((key) => `\`${key}\``).join(', ')} |`);
  });

  it('is what docs/reference/analytics.md says, typed', async () => {
    await jsonInProcess(['project', 'create', '--name', 'mysite'], environment);
    const line = LOG.split('\n', 1)[0] ?? '';
    await writeFile(join(folder, 'access.log'), `${line}\n`);
    await writeFile(join(folder, 'access.log.2.gz'), gzipSync(`${line}\n`.repeat(2)));
    await writeFile(join(folder, 'access.log.3.gz'), gzipSync(`${line}\n`.repeat(2)));
    const blocks = await shellBlocks('docs/reference/analytics.md', '404s of the past');
    const { code, stdout, stderr } = await typeBlock(
      blocks.join('\n').replaceAll('dist/cli.js', join(packageRoot(), 'dist/cli.js')),
      { cwd: folder, env: { PATH: process.env['PATH'] ?? '', ...environment } },
    );
    expect(code, stderr).to.equal(0);
    expect(stdout)
      .to.match(/^1 404 stored of 1 line/)
      .and.to.match(/\n3 404s stored of 4 lines/);
  });
});
