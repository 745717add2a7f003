import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '#src/base/package-root.js';
import { freePort } from '../../../scripts/service/throwaway-database.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { shellBlocks, typeBlock } from '../../support/document.js';
import { startServer, type Finished, type ServerProcess } from '../../support/processes.js';
import { connectTo } from '../../support/sql.js';
import { until } from '../../support/until.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const PRINTED = 'http://127.0.0.1:8080';
const FIRST_SITE = 'docs/start/first-site.md';

/**
 * Types the README into a terminal beside a demo that runs, as a newcomer would; only the printed address is another.
 */
describe('the README and the first site, typed', function () {
  this.timeout(180_000);
  let database: TestDatabase;
  let server: ServerProcess;
  const folder = temporaryFolder();
  let environment: Record<string, string>;

  before(async () => {
    database = await createTestDatabase();
    server = await startServer({ ...database.environment, EMBEDDING_MODEL: 'auto' }, ['--demo']);
    for (const name of ['dist', 'node_modules']) await symlink(join(packageRoot(), name), join(folder, name));
    environment = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...database.environment };
  });

  after(async () => {
    await server.end('SIGTERM');
    await database.drop();
  });

  /** Blocks typed one after the other into one shell. */
  async function type(blocks: string[]): Promise<Finished> {
    const finished = await typeBlock(blocks.join('\n').replaceAll(PRINTED, server.url), {
      cwd: folder,
      env: environment,
    });
    expect(finished.code, finished.stderr).to.equal(0);
    return finished;
  }

  it('"Try it" answers a dead link and a question with the pages that it shows', async () => {
    const [start, ...rest] = await shellBlocks('README.md', 'Try it');
    expect(start).to.equal('npm ci && npm start');
    const { stdout } = await type(rest);
    expect(stdout)
      .to.include('"url":"/help/machines/fellside-error-codes"')
      .and.include('/help/machines/grinder-jammed');
  });

  it("the README's five lines for Express are those of the app that is run below", async () => {
    const lines = async (document: string): Promise<string[]> =>
      (/```js\n([\s\S]*?)```/.exec(await readFile(join(packageRoot(), document), 'utf8'))?.[1] ?? '')
        .trim()
        .split('\n');
    const shown = await lines('README.md');
    expect(shown).to.have.length(5);
    expect(await lines(FIRST_SITE)).to.include.members(shown);
  });

  describe('the first site', () => {
    let key: string;
    let app: ChildProcess;
    let site: string;

    before(async () => {
      const { stdout } = await type([
        ...(await shellBlocks(FIRST_SITE, '1. Push your pages')),
        'echo; echo "KEY=$KEY"',
      ]);
      expect(stdout).to.include('"url":"/guides/repair/flat-tyre"');
      key = /KEY=(\S+)/.exec(stdout)?.[1] ?? '';
      await type(await shellBlocks(FIRST_SITE, '2. Import the redirects that you have'));
      const [, code = ''] = /```js\n([\s\S]*?)```/.exec(await readFile(join(packageRoot(), FIRST_SITE), 'utf8')) ?? [];
      const modules = join(folder, 'site', 'node_modules');
      await mkdir(modules, { recursive: true });
      await symlink(join(packageRoot(), 'node_modules', 'express'), join(modules, 'express'));
      await symlink(join(packageRoot(), 'clients', 'js'), join(modules, 'pathmend-client'));
      // For a busy machine, on which pathmend may need longer than a visitor has.
      const patient = code.replace('createClient({', 'createClient({ timeoutMs: 20_000,');
      await writeFile(join(folder, 'site', 'app.mjs'), patient);
      const port = await freePort();
      site = `http://127.0.0.1:${port}`;
      app = spawn(process.execPath, ['app.mjs'], {
        cwd: join(folder, 'site'),
        env: { ...environment, KEY: key, PATHMEND_URL: server.url, PORT: String(port) },
      });
      await until('the site answers', () =>
        fetch(`${site}/shop/opening-hours`).then(
          ({ ok }) => ok,
          () => false,
        ),
      );
    });

    after(async () => {
      const closed = once(app, 'close');
      if (app.kill()) await closed;
    });

    it('redirects a visitor of an old path whose page is known', async () => {
      const answer = await fetch(`${site}/opening-times.php`, { redirect: 'manual' });
      expect([answer.status, answer.headers.get('location')]).to.deep.equal([301, '/shop/opening-hours']);
    });

    it('shows a 404 page with links, whose click leads to the page and is counted', async () => {
      const answer = await fetch(`${site}/workshop/brake-noise`, { redirect: 'manual' });
      expect(answer.status).to.equal(404);
      const [, link = ''] = /href="([^"]+)"[^>]*>Adjust squeaking brakes/.exec(await answer.text()) ?? [];
      const clicked = await fetch(site + link.replaceAll('&#38;', '&'), { redirect: 'manual' });
      expect([clicked.status, clicked.headers.get('location')]).to.deep.equal([302, '/guides/repair/brakes']);
      const forged = link.replaceAll('&#38;', '&').replace(/to=[^&]*/, 'to=%2F%2Felsewhere.example');
      expect((await fetch(site + forged, { redirect: 'manual' })).status).to.equal(404);
    });

    it('can be measured as docs/evidence/evaluation.md says', async () => {
      // Without npm and its build, which has been done.
      const blocks = (await shellBlocks('docs/evidence/evaluation.md', 'Measure it on your own site')).map((block) =>
        block.replaceAll('npm run eval --', `node ${join(packageRoot(), '.build/scripts/eval/main.js')}`),
      );
      await until('the click is stored', async () => (await clicks()) > 0);
      await type(blocks);
      expect(await readFile(join(folder, 'report.html'), 'utf8')).to.include('Threshold of suggest for a list');
      expect(await readFile(join(folder, 'clicks.html'), 'utf8')).to.include('The cases are what visitors clicked');
    });

    async function clicks(): Promise<number> {
      const client = await connectTo(database);
      try {
        return (await client.query('select from pathmend.clicks')).rowCount ?? 0;
      } finally {
        await client.end();
      }
    }
  });
});
