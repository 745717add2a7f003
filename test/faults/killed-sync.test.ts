import { expect } from 'chai';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { cliJson, startServer } from '../support/processes.js';
import { startChangingSite, type ChangingSite } from '../support/synced-site.js';
import { until } from '../support/until.js';

describe('kill -9 of a worker in the middle of a sync', function () {
  this.timeout(420_000);
  let database: TestDatabase;
  let site: ChangingSite;

  before(async () => {
    database = await createTestDatabase({ migrated: true });
    site = await startChangingSite();
  });
  after(async () => {
    await site.web.close();
    await database.drop();
  });

  const pages = async (): Promise<number> =>
    ((await cliJson(['pages', 'list', '--project', 'killed'], database.environment)) as unknown[]).length;
  const countRequests = (wanted: string): number => site.web.requests.filter(({ path }) => path === wanted).length;

  it('has another one begin it again at the minute, without anybody asking', async () => {
    const { environment } = database;
    const { origin } = site.web;
    site.paths = ['/', '/a', '/b'];
    await cliJson(['project', 'create', '--name', 'killed'], environment);
    const first = await startServer(environment);
    await cliJson(['project', 'update', '--project', 'killed', '--source', origin], environment);
    site.atPage = (path) =>
      path === '/b' && countRequests('/b') === 1 ? new Promise<void>(() => undefined) : undefined;
    await until('the sync that is due has come to the last page', () => countRequests('/b') === 1, 120_000);
    await first.end('SIGKILL');
    const second = await startServer(environment);
    await until('every page is stored', async () => (await pages()) === 3, 180_000);
    expect(countRequests('/sitemap.xml'), 'it was begun twice').to.equal(2);
    await second.end('SIGTERM');
  });
});
