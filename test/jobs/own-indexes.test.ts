import { join } from 'node:path';
import { expect } from 'chai';
import { inTransaction } from '#src/database/connect.js';
import { deleteProjectRow } from '#src/database/queries/projects.js';
import { readExampleSite } from '#src/demo/example-site.js';
import { houseKeeping } from '#src/jobs/kinds.js';
import { packageRoot } from '#src/package-root.js';
import { createPageCheck } from '#src/pages/check-page.js';
import { upsertPages } from '#src/pages/upsert-pages.js';
import { onServer } from '../support/database.js';
import { startTestService, type TestProject, type TestService } from '../support/service.js';
import { query } from '../support/sql.js';
import { until } from '../support/until.js';

const QUESTIONS = ['how long does delivery take', 'moka pot', 'send something back', 'grinder is jammed', 'gift card', 'dark roast', 'wholesale'];
const PATHS = ['/help/retrun-policy.html', '/products/moka', '/blog/pour-over', '/account/password/reset', '/shop/grinders', '/contact-us.php'];

interface Found {
  url: string;
  score: number;
}

describe('a project with indexes of its own', () => {
  let service: TestService | undefined;
  const running = (): TestService => {
    if (!service) throw new Error('runs inside tests only');
    return service;
  };
  let project: TestProject;
  let scanned: TestProject;

  before(async function () {
    // Server only: the embedded database scans, since building would keep its one session busy.
    if (!onServer()) this.skip();
    this.timeout(120_000);
    service = await startTestService({ OWN_INDEX_PASSAGES: '200', SEARCH_CACHE_ENTRIES: '0' });
    project = await running().newProject();
    await pushShop(project, 0, 200);
    await until('the indexes are built', async () => (await covered(project)) !== undefined, 60_000);
    await running().service.deps.ownIndexes.refresh();
  });
  after(() => service?.stop());

  async function pushShop(to: TestProject, from: number, until: number): Promise<void> {
    const { pages } = await readExampleSite(join(packageRoot(), 'examples', 'shop'));
    const check = createPageCheck(running().service.deps.limits);
    const part = pages.slice(from, until).map(({ url, title, content, metadata }) => check({ url, content, title, metadata }));
    await upsertPages(running().service.deps, running().service.deps.tenants.of(to.row.project_id), part);
    await to.indexed();
  }

  async function covered(of: TestProject): Promise<string | undefined> {
    const [row] = await query<{ covered: string }>(running().service, 'select covered from pathmend.own_indexes where project_id = $1', [of.row.project_id]);
    return row?.covered;
  }

  async function ask(of: TestProject, body: { path: string } | { query: string }, options: object = {}): Promise<Found[]> {
    const route = 'path' in body ? '/v1/suggest' : '/v1/semantic-search';
    const answer = await of.post(route, { ...body, limit: 10, options: { searchThreshold: 0, ...options } });
    expect(answer.status).to.equal(200);
    return (answer.body.suggestions as Found[]).map(({ url, score }) => ({ url, score }));
  }

  const indexNames = async (of: TestProject): Promise<string[]> =>
    (await query<{ name: string }>(running().service, 'select relname as name from pg_class where relkind = \'i\' and starts_with(relname, $1) order by 1', [
      `own_${of.row.project_id.replaceAll('-', '')}`,
    ])).map(({ name }) => name);

  const uses = async (of: TestProject): Promise<number> => {
    const [row] = await query<{ uses: number }>(running().service, 'select coalesce(sum(idx_scan), 0)::int as uses from pg_stat_user_indexes where starts_with(indexrelname, $1)', [
      `own_${of.row.project_id.replaceAll('-', '')}`,
    ]);
    return row?.uses ?? 0;
  };

  it('is answered as one that is scanned', async () => {
    scanned = await running().newProject();
    await pushShop(scanned, 0, 200);
    await query(running().service, 'delete from pathmend.own_indexes where project_id = $1', [scanned.row.project_id]);
    await running().service.deps.ownIndexes.refresh();
    for (const text of QUESTIONS) expect(await ask(project, { query: text }), text).to.deep.equal(await ask(scanned, { query: text }));
    // A score shares certainty among all candidates; those far behind may be others.
    for (const path of PATHS) {
      const [own, all] = [await ask(project, { path }), await ask(scanned, { path })];
      expect(own.slice(0, 3).map((found) => found.url), path).to.deep.equal(all.slice(0, 3).map((found) => found.url));
      expect(own[0]?.score, path).to.be.closeTo(all[0]?.score ?? 0, 0.02);
    }
  });

  it('is answered through them, all four', async () => {
    const before = await uses(project);
    // A session tells the statistics of its scans with a later statement, a second on.
    await until('the statistics tell of four index scans or more', async () => {
      await ask(project, { path: '/help/retrun-policy.html' });
      return (await uses(project)) >= before + 4;
    });
    expect(await indexNames(project)).to.have.length(4);
  });

  it('finds pages that came after the build, their new content after a change, and nothing of those that went', async () => {
    const url = 'https://shop.example/late/zanzibar-cloves';
    await project.upsert({ url, content: 'Zanzibar cloves are sold by weight.' });
    await project.indexed();
    expect((await ask(project, { query: 'zanzibar cloves' }))[0]?.url).to.equal('/late/zanzibar-cloves');
    expect((await ask(project, { path: '/old/zanzibar-cloves.html' }))[0]?.url).to.equal('/late/zanzibar-cloves');
    await project.upsert({ url, content: 'Madagascar vanilla is sold by the pod.' });
    await project.indexed();
    const [first] = await ask(project, { query: 'madagascar vanilla pod' });
    expect(first?.url).to.equal('/late/zanzibar-cloves');
    await project.call('DELETE', '/v1/pages/delete', { url });
    expect((await ask(project, { query: 'madagascar vanilla pod' })).map((found) => found.url)).not.to.include('/late/zanzibar-cloves');
  });

  it('is filtered and excluded from as exactly as any other', async () => {
    const all = await ask(project, { query: 'coffee' });
    const rest = await ask(project, { query: 'coffee' }, { excludeUrls: [all[0]?.url] });
    expect(rest.slice(0, 9).map((found) => found.url)).to.deep.equal(all.slice(1).map((found) => found.url));
    const filters = { category: 'coffee' };
    const filtered = await ask(project, { query: 'chocolate' }, { filters });
    expect(filtered).to.deep.equal(await ask(scanned, { query: 'chocolate' }, { filters }));
  });

  it('gets new ones when it has outgrown them, and the old ones go', async () => {
    const before = await covered(project);
    const check = createPageCheck(running().service.deps.limits);
    const pages = Array.from({ length: 120 }, (_, i) => check({ url: `https://shop.example/many/page-${i}`, content: `Page ${i} speaks of thing number ${i}, at some length.` }));
    await upsertPages(running().service.deps, running().service.deps.tenants.of(project.row.project_id), pages);
    await until('the indexes cover more', async () => ((await covered(project)) ?? before) !== before);
    await until('only the new ones are left', async () => (await indexNames(project)).length === 4);
    await running().service.deps.ownIndexes.refresh();
    expect((await ask(project, { path: '/many/page-77.html' }))[0]?.url).to.equal('/many/page-77');
  });

  it('loses them when it is deleted', async () => {
    const { db, deps: { queue } } = running().service;
    // As the command does it: again, should a build that is under way win a deadlock over the first attempt.
    await inTransaction(db, (trx) => deleteProjectRow(trx, project.row.project_id));
    await queue.enqueueNow(houseKeeping, [{}]);
    await until('no index is left', async () => (await indexNames(project)).length === 0);
  });
});
