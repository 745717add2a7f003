import { expect } from 'chai';
import { setSource } from '#src/sync/project-source.js';
import { readRun, requestSync } from '#src/sync/request-sync.js';
import { startTestService, type TestProject, type TestService } from '../support/service.js';
import { PERSON } from '../support/synced-site.js';
import { until } from '../support/until.js';
import { OWN_NETWORK } from '../support/watch.js';
import { html, page, startSite, text, type WebSite } from '../support/web-site.js';

/** More than a worker had places for runs: two syncs and a preview. */
const SLOW = 6;
const PATHS = Array.from({ length: 10 }, (_, n) => `/p${n}`);

const SLOWNESS: Readonly<Record<string, { delay: number; holds: RegExp }>> = {
  'ask for a pause of a minute between two requests': { delay: 60, holds: /^$/ },
  'never end a page': { delay: 0, holds: /^\/p/ },
  'never end the list of their pages': { delay: 0, holds: /^\/sitemap/ },
};

describe('sites that make their runs wait', function () {
  this.timeout(180_000);
  let test: TestService;
  let quick: WebSite;
  let slow: WebSite | undefined;

  before(async () => {
    test = await startTestService(OWN_NETWORK);
    quick = await startSiteOf(0, /^$/);
  });
  afterEach(() => slow?.close());
  after(async () => {
    await test.stop();
    await quick.close();
  });

  const startSiteOf = (delay: number, holds: RegExp): Promise<WebSite> =>
    startSite((path, response, { headers: { host = '' } }) => {
      if (path === '/robots.txt') text(response, 200, `User-agent: *\nCrawl-delay: ${delay}\n`);
      else if (holds.test(path)) response.writeHead(200, { 'content-type': 'text/html' }).flushHeaders();
      else if (path === '/sitemap.xml') text(response, 200, PATHS.map((name) => `http://${host}${name}`).join('\n'));
      else html(response, page(`The page ${path}`));
    });

  async function begin(project: TestProject, source: string, preview: boolean): Promise<string> {
    const { db } = test.service.database.connection;
    const deps = { db, queue: test.service.queue, clock: test.service.deps.clock };
    const choice = { kind: 'url' as const, source, every_seconds: null, prune: false };
    await setSource(deps, project.row.project_id, choice, PERSON);
    return requestSync(deps, project.row.project_id, { preview, by: PERSON });
  }

  const stateOf = async (project: TestProject, runId: string): Promise<string | undefined> =>
    (await readRun(test.service.database.connection.db, project.row.project_id, runId))?.state;

  for (const preview of [false, true])
    for (const [what, { delay, holds }] of Object.entries(SLOWNESS))
      it(`keep no ${preview ? 'preview' : 'sync'} of another project waiting: they ${what}`, async () => {
        slow = await startSiteOf(delay, holds);
        const runs: [TestProject, string][] = [];
        for (let n = 0; n < SLOW; n++) {
          const project = await test.newProject();
          runs.push([project, await begin(project, `${slow.origin}/sitemap.xml`, preview)]);
        }
        await until('all of them have begun', async () => {
          const states = await Promise.all(runs.map(([project, runId]) => stateOf(project, runId)));
          return states.every((state) => state === 'running');
        });
        const other = await test.newProject();
        const runId = await begin(other, `${quick.origin}/sitemap.xml`, preview);
        await until('the other is done', async () => (await stateOf(other, runId)) === 'done', 60_000);
        const states = await Promise.all(runs.map(([project, slowRun]) => stateOf(project, slowRun)));
        expect(states).to.include('running');
        const { db } = test.service.database.connection;
        for (const [{ row }] of runs)
          await setSource({ db, clock: test.service.deps.clock }, row.project_id, null, PERSON);
        await until('they are over', async () => {
          const left = await Promise.all(runs.map(([project, slowRun]) => stateOf(project, slowRun)));
          return left.every((state) => state !== 'running');
        });
      });
});
