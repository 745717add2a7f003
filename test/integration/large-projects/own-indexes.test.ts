import { join } from 'node:path';
import { expect } from 'chai';
import { connect, inTransaction, sqlState } from '#src/database/session/connect.js';
import { deleteProjectRow } from '#src/database/queries/projects.js';
import { readExampleSite } from '#src/demo/example-site.js';
import { withBuildLock } from '#src/database/queries/build-own-indexes.js';
import type { SearchSpace } from '#src/database/queries/search/space.js';
import { updateOwnIndexes } from '#src/large-projects/build-indexes.js';
import { maintenance } from '#src/maintenance/maintenance.js';
import { rankForPath } from '#src/search/rank/rank-for-path.js';
import { rankForQuery } from '#src/search/rank/rank-for-query.js';
import { readDeadPath } from '#src/text/paths/dead-path.js';
import { packageRoot } from '#src/package-root.js';
import { createPageCheck } from '#src/pages/check-page.js';
import { upsertPages } from '#src/pages/upsert-pages.js';
import { rejection } from '../embedding/rejection.js';
import { onServer } from '../../support/database.js';
import { startTestService, type TestProject, type TestService } from '../../support/service.js';
import { query } from '../../support/sql.js';
import { until } from '../../support/until.js';
import { wholeProject } from '../../../scripts/whole-project.js';

const OWN_INDEX_PASSAGES = 200;
const QUESTIONS = [
  'how long does delivery take',
  'moka pot',
  'send something back',
  'grinder is jammed',
  'gift card',
  'dark roast',
  'wholesale',
];
const PATHS = [
  '/help/retrun-policy.html',
  '/products/moka',
  '/blog/pour-over',
  '/account/password/reset',
  '/shop/grinders',
  '/contact-us.php',
];

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
    service = await startTestService({ OWN_INDEX_PASSAGES: String(OWN_INDEX_PASSAGES), SEARCH_CACHE_ENTRIES: '0' });
    project = await running().newProject();
    await pushShop(project, 0, 200);
    await until('the indexes are built', async () => (await coverage(project)).segments > 0, 60_000);
    // On a busy machine a first part of the pages got a segment of its own, until all is quiet.
    const { deps } = running().service;
    await until(
      'one segment holds all, and what it took the place of is gone',
      async () => {
        await updateOwnIndexes(
          {
            ...deps,
            dbWithSession: running().service.database.direct.db,
            ownIndexPassages: OWN_INDEX_PASSAGES,
          },
          project.row.project_id,
          { quietSeconds: 0 },
        );
        return (await coverage(project)).segments === 1 && (await indexNames(project)).length === 4;
      },
      60_000,
    );
    await running().service.deps.ownIndexes.refresh();
  });
  after(() => service?.stop());

  async function pushShop(to: TestProject, from: number, until: number): Promise<void> {
    const { pages } = await readExampleSite(join(packageRoot(), 'examples', 'shop'));
    const check = createPageCheck(running().service.deps.limits);
    const part = pages
      .slice(from, until)
      .map(({ url, title, content, metadata }) => check({ url, content, title, metadata }));
    await upsertPages(running().service.deps, running().service.deps.tenants.of(to.row.project_id), part);
    await to.indexed();
  }

  /** How many segments it has, and up to where they reach. */
  async function coverage(of: TestProject): Promise<{ segments: number; covered: string | null }> {
    const [row] = await query<{ segments: number; covered: string | null }>(
      running().service,
      'select count(*)::int as segments, max(covered) as covered from pathmend.own_indexes where project_id = $1',
      [of.row.project_id],
    );
    return row ?? { segments: 0, covered: null };
  }

  /** What is found through the project's own indexes, and by a scan of the same pages at the same moment. */
  async function foundBothWays(
    of: TestProject,
    by: { path: string } | { query: string },
  ): Promise<{ own: string[]; scanned: string[] }> {
    const { deps, models } = running().service;
    const { modelId } = models.configured;
    const space = wholeProject(deps.tenants.of(of.row.project_id), modelId);
    const calibration = await deps.calibrationOf(modelId);
    const urls = async (one: SearchSpace): Promise<string[]> => {
      const { ranked } =
        'path' in by
          ? await rankForPath(deps, calibration.suggest, one, readDeadPath(by.path), 3)
          : await rankForQuery(deps, calibration.query, one, by.query, 10);
      return ranked.slice(0, 'path' in by ? 3 : 10).map(({ page }) => page.path);
    };
    return {
      own: await urls({ ...space, indexSegments: deps.ownIndexes.segments(of.row.project_id, modelId) }),
      scanned: await urls(space),
    };
  }

  async function ask(
    of: TestProject,
    body: { path: string } | { query: string },
    options: object = {},
  ): Promise<Found[]> {
    const route = 'path' in body ? '/v1/suggest' : '/v1/semantic-search';
    const answer = await of.post(route, { ...body, limit: 10, options: { searchThreshold: 0, ...options } });
    expect(answer.status).to.equal(200);
    return (answer.body.suggestions as Found[]).map(({ url, score }) => ({ url, score }));
  }

  const indexNames = async (of: TestProject): Promise<string[]> =>
    (
      await query<{ name: string }>(
        running().service,
        "select relname as name from pg_class where relkind = 'i' and starts_with(relname, $1) order by 1",
        [`seg_${of.row.project_id.replaceAll('-', '')}`],
      )
    ).map(({ name }) => name);

  const uses = async (of: TestProject): Promise<number> => {
    const [row] = await query<{ uses: number }>(
      running().service,
      'select coalesce(sum(idx_scan), 0)::int as uses from pg_stat_user_indexes where starts_with(indexrelname, $1)',
      [`seg_${of.row.project_id.replaceAll('-', '')}`],
    );
    return row?.uses ?? 0;
  };

  it('is answered as one that is scanned', async () => {
    scanned = await running().newProject();
    await pushShop(scanned, 0, 200);
    await query(running().service, 'delete from pathmend.own_indexes where project_id = $1', [scanned.row.project_id]);
    await running().service.deps.ownIndexes.refresh();
    for (const text of QUESTIONS)
      expect(await ask(project, { query: text }), text).to.deep.equal(await ask(scanned, { query: text }));
    // A score shares certainty among all candidates; those far behind may be others.
    for (const path of PATHS) {
      const [own, all] = [await ask(project, { path }), await ask(scanned, { path })];
      expect(
        own.slice(0, 3).map((found) => found.url),
        path,
      ).to.deep.equal(all.slice(0, 3).map((found) => found.url));
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
    const haveFour = async () => (await indexNames(project)).length === 4 * (await coverage(project)).segments;
    await until('each segment has four, and what a builder replaced is gone', haveFour);
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
    expect((await ask(project, { query: 'madagascar vanilla pod' })).map((found) => found.url)).not.to.include(
      '/late/zanzibar-cloves',
    );
  });

  it('remembers a deleted page whose content is there nearly word for word, before and behind its indexes', async () => {
    const { pages } = await readExampleSite(join(packageRoot(), 'examples', 'shop'));
    const held = pages.reduce((a, b) => (b.content.length > a.content.length ? b : a));
    const guide =
      'How to descale the machine: fill the tank with vinegar and water, and let it run twice. Rinse the tank with clear ' +
      'water afterwards, wipe the outlet with a soft cloth, and put the grid back. Do this every month.';
    for (const [old, content] of [
      ['/k40/care-7', held.content],
      ['/k40/care-8', guide],
    ] as const) {
      const url = `https://shop.example${old}`;
      await project.upsert({ url, content: `${content} This page was printed on Mondays.` });
      await project.indexed();
      await project.call('DELETE', '/v1/pages/delete', { url });
    }
    await project.upsert({ url: 'https://shop.example/support/limescale', content: guide });
    await project.indexed();
    for (const [old, now] of [
      ['/k40/care-7', new URL(held.url).pathname],
      ['/k40/care-8', '/support/limescale'],
    ] as const) {
      const [first] = await ask(project, { path: old });
      expect(first?.url, old).to.equal(now);
      expect(first?.score, old).to.be.at.least(0.95);
    }
  });

  it('is filtered and excluded from as exactly as any other', async () => {
    const all = await ask(project, { query: 'coffee' });
    const rest = await ask(project, { query: 'coffee' }, { excludeUrls: [all[0]?.url] });
    expect(rest.slice(0, 9).map((found) => found.url)).to.deep.equal(all.slice(1).map((found) => found.url));
    const filters = { category: 'coffee' };
    const filtered = await ask(project, { query: 'chocolate' }, { filters });
    expect(filtered).to.deep.equal(await ask(scanned, { query: 'chocolate' }, { filters }));
  });

  it('gets a segment more when much has come, and is answered through both as by a scan', async () => {
    const before = await coverage(project);
    const check = createPageCheck(running().service.deps.limits);
    const pages = Array.from({ length: 120 }, (_, i) =>
      check({
        url: `https://shop.example/many/page-${i}`,
        content: `Page ${i} speaks of thing number ${i}, at some length.`,
      }),
    );
    await upsertPages(running().service.deps, running().service.deps.tenants.of(project.row.project_id), pages);
    await project.indexed();
    await until('what came is covered', async () => (await coverage(project)).segments > before.segments);
    // Pages come in batches, so that it may get two.
    await until(
      'each segment has its four indexes',
      async () => (await indexNames(project)).length === 4 * (await coverage(project)).segments,
    );
    await running().service.deps.ownIndexes.refresh();
    expect((await ask(project, { path: '/many/page-77.html' }))[0]?.url).to.equal('/many/page-77');
    for (const by of [
      ...QUESTIONS.map((text) => ({ query: text })),
      { query: 'thing number 12' },
      ...PATHS.map((path) => ({ path })),
    ]) {
      const { own, scanned: all } = await foundBothWays(project, by);
      expect(own, JSON.stringify(by)).to.deep.equal(all);
    }
  });

  it('has its segments put together when it is quiet, and the old indexes go', async () => {
    const { deps } = running().service;
    const before = await coverage(project);
    // Again, should the job that covered what came still be at it: one of two builders goes home.
    await until('one segment is left', async () => {
      await updateOwnIndexes(
        {
          ...deps,
          dbWithSession: running().service.database.direct.db,
          ownIndexPassages: OWN_INDEX_PASSAGES,
        },
        project.row.project_id,
        {
          quietSeconds: 0,
        },
      );
      return (await coverage(project)).segments === 1;
    });
    expect(Number((await coverage(project)).covered)).to.be.at.least(Number(before.covered));
    // Whichever builder was at it drops what it replaced last.
    await until('its four indexes are left', async () => (await indexNames(project)).length === 4);
    expect((await ask(project, { path: '/many/page-77.html' }))[0]?.url).to.equal('/many/page-77');
    const { own, scanned: all } = await foundBothWays(project, { query: 'thing number 12' });
    expect(own).to.deep.equal(all);
  });

  it('has one builder at a time', async () => {
    const { db } = running().service;
    const id = project.row.project_id;
    let second = 'not asked';
    await withBuildLock(db, id, async () => {
      second = 'went home';
      await withBuildLock(db, id, () => {
        second = 'built';
        return Promise.resolve();
      });
    });
    expect(second).to.equal('went home');
    await withBuildLock(db, id, () => {
      second = 'built';
      return Promise.resolve();
    });
    expect(second, 'once the first is done').to.equal('built');
  });

  it('is left alone at once by a worker that stops, and its indexes are built by the next', async () => {
    const { deps, database } = running().service;
    const fresh = await running().newProject();
    const reader = connect({ url: database.url, max: 1, applicationName: 'test', onIdleError: () => undefined });
    try {
      // No index is finished while somebody reads with an older view of the table: the build waits for that.
      await reader.pool.query('begin isolation level repeatable read');
      await reader.pool.query('select count(*) from pathmend.passages');
      // Too few passages for the service's own workers to build at the same time.
      await pushShop(fresh, 0, 60);
      // By name: the service's own workers may be at another project's, and wait for the same reader.
      const building = async (): Promise<boolean> =>
        (
          await query(
            running().service,
            `
          select from pg_stat_progress_create_index b join pg_class c on c.oid = b.index_relid
           where starts_with(c.relname, $1) and b.phase like 'waiting%'`,
            [`seg_${fresh.row.project_id.replaceAll('-', '')}`],
          )
        ).length > 0;
      const stopping = new AbortController();
      const keep = (signal?: AbortSignal): Promise<void> =>
        updateOwnIndexes(
          {
            ...deps,
            dbWithSession: running().service.database.direct.db,
            ownIndexPassages: OWN_INDEX_PASSAGES / 4,
          },
          fresh.row.project_id,
          {
            quietSeconds: 0,
            ...(signal ? { signal } : {}),
          },
        );
      // Again, should a job that looks whether anything is due be at it: one of two builders goes home.
      const keepAlways = async (): Promise<void> => {
        for (;;) await keep(stopping.signal);
      };
      const kept = rejection(keepAlways(), Error);
      await until('the build waits', building);
      stopping.abort();
      expect(sqlState(await kept)).to.equal('57014');
      expect(await building()).to.equal(false);
      await reader.pool.query('commit');
      await until('the next builder is done', async () => {
        await keep();
        return (await coverage(fresh)).segments === 1;
      });
      expect(await indexNames(fresh)).to.have.length(4);
    } finally {
      await reader.close();
    }
  });

  it('loses them when it is deleted', async () => {
    const {
      db,
      deps: { queue },
    } = running().service;
    // As the command does it: again, should a build that is under way win a deadlock over the first attempt.
    await inTransaction(db, (trx) => deleteProjectRow(trx, project.row.project_id));
    await queue.enqueueNow(maintenance, [{}]);
    await until('no index is left', async () => (await indexNames(project)).length === 0);
  });
});
