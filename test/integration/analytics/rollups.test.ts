import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { ensureWeeks } from '#src/platform/database/maintenance.js';
import { insertSearches, type SearchRow } from '#src/search/store/searches.js';
import { dropOldRollups } from '#src/analytics/store/rollups.js';
import { linkAll, linkSearches, rebuildProject } from '#src/analytics/rebuild-rollups-job.js';
import { type RecordDeps, type RecordEventPayload, storeEvents } from '#src/events/store-events.js';
import { ScanDetector } from '#src/events/scan-detector.js';
import type { VisitorEvent } from '#src/events/read-event.js';
import { random as seeded } from '../../../scripts/seeded.js';
import { startTestService, type TestProject, type TestService } from '../../support/service.js';

const DAY = 86_400_000;
const MONDAY = Date.parse('2026-10-05T00:00:00Z');
const AGENTS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot',
  'curl/8.5.0',
  null,
];
const TABLES = [
  ...'not_found_days missing_paths path_days referrer_weeks search_days position_days'.split(' '),
  ...'empty_search_days latency_days not_found_hours'.split(' '),
] as const;

describe('rollups', function () {
  this.timeout(120_000);
  let test: TestService;
  let deps: RecordDeps;

  before(async () => {
    test = await startTestService({ LOG_LEVEL: 'error' });
    // The test links at moments of its own.
    await test.service.queue.stopWorking(linkSearches);
    const { service } = test;
    deps = {
      ...service.deps,
      db: service.db,
      scans: new ScanDetector(),
      history: { bytesPerDay: 1e12, reportNotKept: () => undefined },
    };
    await ensureWeeks(service.db, new Date(MONDAY), new Date(MONDAY + 35 * DAY));
  });

  after(() => test.stop());

  async function snapshot(project: TestProject): Promise<Record<string, unknown[]>> {
    const entries = TABLES.map(async (table) => {
      const rows = await project.query<{ row: unknown }>(
        `select to_jsonb(t) as row from pathmend.${table} t where project_id = $1 order by to_jsonb(t)::text`,
      );
      return [table, rows.map(({ row }) => row)] as const;
    });
    return Object.fromEntries(await Promise.all(entries));
  }

  const payload = (
    project: TestProject,
    at: number,
    event: VisitorEvent,
    isTest = false,
  ): { data: RecordEventPayload } => ({
    data: {
      eventId: randomUUID(),
      projectId: project.row.project_id,
      isTest,
      receivedAt: new Date(at).toISOString(),
      event,
    },
  });

  const missed = (path: string, more: object = {}): VisitorEvent => ({
    type: 'not-found',
    rawPath: path,
    origin: null,
    referrer: null,
    userAgent: AGENTS[0] ?? null,
    visitorIp: null,
    ...more,
  });

  function searchRow(project: TestProject, at: number, path: string, scores: number[]): SearchRow {
    return {
      project_id: project.row.project_id,
      search_id: randomUUID(),
      searched_at: new Date(at).toISOString(),
      kind: 'suggest',
      is_test: false,
      input: path,
      understood: path.slice(1).replaceAll('-', ' '),
      filtered: false,
      threshold: 0.1,
      results: scores.map((score, i) => ({ page_id: 'a'.repeat(24), url: `/page-${i}`, score })),
      best_score: scores[0] ?? null,
      cached: false,
      took_ms: 12,
      of_others: false,
      redirected: false,
      would_redirect: false,
    };
  }

  const clicked = (search: SearchRow, rank: number): VisitorEvent => ({
    type: 'click',
    clickedUrl: '/page-0',
    clickedRank: rank,
    rawPath: search.input,
    searchId: search.search_id,
    origin: null,
    occurredAt: search.searched_at,
  });

  /** Searches, 404s that name them or not, and clicks, in an order in which nothing comes when it should. */
  function shuffledMonth(project: TestProject, seed: number) {
    const random = seeded(seed);
    const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
    const searches: SearchRow[] = [];
    const events: { data: RecordEventPayload }[] = [];
    for (let i = 0; i < 400; i++) {
      const at = MONDAY + Math.floor(random() * 28 * DAY);
      const path = pick(['/a', '/b-c', '/b-c?x=1', '/wp-login.php', '/ä', `/rare-${i}`]);
      const scores = pick([[], [0.95], [0.72, 0.4], [1, 0.3, 0.2]]);
      const search = {
        ...searchRow(project, at, path, scores),
        kind: pick(['suggest', 'proxy', 'not-found'] as const),
        of_others: random() < 0.3,
        redirected: random() < 0.2,
        is_test: random() < 0.1,
      };
      if (random() < 0.7) searches.push(search);
      const more = {
        userAgent: pick(AGENTS),
        origin: pick([null, 'https://shop.example', 'junk']),
        referrer: pick([null, 'https://shop.example/from?q=1', 'https://other.example/']),
        ...(random() < 0.7 ? { searchId: search.search_id } : {}),
        ...(random() < 0.3 ? { outcome: pick(['redirected', 'suggested', 'nothing', 'gone'] as const) } : {}),
        ...(random() < 0.2 ? { occurredAt: new Date(at - DAY).toISOString() } : {}),
      };
      events.push(payload(project, at, missed(path, more), random() < 0.1));
      for (const late of [0, 2, 9])
        if (random() < 0.3)
          events.push(payload(project, at + late * DAY, clicked(search, 1 + Math.floor(random() * 5)), random() < 0.1));
    }
    const shuffle = <T>(list: T[]): T[] =>
      list
        .map((entry) => [random(), entry] as const)
        .sort(([a], [b]) => a - b)
        .map(([, entry]) => entry);
    return { random, searches: shuffle(searches), events: shuffle(events) };
  }

  /** A project with such a month, all of it linked. */
  async function lived(seed: number): Promise<TestProject> {
    const project = await test.newProject();
    const { random, searches, events } = shuffledMonth(project, seed);
    while (searches.length + events.length > 0) {
      const done = events.splice(0, 40);
      await storeEvents(deps, done);
      // The job runs again, though its transaction was committed.
      if (random() < 0.3) await storeEvents(deps, done);
      const logged = searches.splice(0, 30);
      await insertSearches(test.service.db, logged, 1e12);
      if (random() < 0.3) await insertSearches(test.service.db, logged, 1e12);
      if (random() < 0.5) await linkAll(test.service.db);
    }
    await linkAll(test.service.db);
    return project;
  }

  /** The rollups, and what they are when they are made again from the rows. */
  async function expectRebuilt(project: TestProject): Promise<Record<string, unknown[]>> {
    const kept = await snapshot(project);
    await rebuildProject({ db: test.service.db }, project.row.project_id);
    const rebuilt = await snapshot(project);
    for (const table of TABLES) expect(rebuilt[table], table).to.deep.equal(kept[table]);
    return kept;
  }

  // These two begin: after the months below, each of their statements takes four times as long.
  it('have rows for so many paths of a day, most of them for what people miss; all others are in one', async () => {
    const project = await test.newProject();
    const store = (count: number, path: (i: number) => string): Promise<void> =>
      storeEvents(
        deps,
        Array.from({ length: count }, (_, i) =>
          payload(
            project,
            MONDAY + i,
            missed(path(i), { referrer: `https://links.example/${i}`, origin: `https://o${i}.example` }),
          ),
        ),
      );
    await store(1_500, (i) => `/.env-${i}`);
    await store(1_000, (i) => `/.git-${i}`);
    await store(2_500, (i) => `/missed/${i}`);
    await store(2_500, (i) => `/missed/more-${i}`);
    const [paths] =
      await project.query(`select count(*)::int as rows, sum(people + scanners)::int as hits, (count(*) filter (where path like '/.%'))::int as scanned,
              (sum(scanners) filter (where path = '(other)'))::int as others
         from pathmend.missing_paths where project_id = $1`);
    expect(paths).to.deep.equal({ rows: 5_001, hits: 7_500, scanned: 1_000, others: 1_500 });
    const [links] = await project.query(
      'select count(*)::int as rows, sum(human + others)::int as hits from pathmend.referrer_weeks where project_id = $1',
    );
    expect(links?.['hits']).to.equal(7_500);
    expect(links?.['rows']).to.be.below(5_100);
    const origins = await project.query<{ hits: number }>(
      'select origin, sum(hits)::int as hits from pathmend.not_found_days where project_id = $1 group by 1',
    );
    expect(origins).to.have.length(21);
    expect(origins.reduce((sum, { hits }) => sum + hits, 0)).to.equal(7_500);
  });

  it('keep a page that many miss apart, however many paths that few miss came before it, on the day and ever', async () => {
    const project = await test.newProject();
    let at = MONDAY;
    const store = (paths: readonly string[]): Promise<void> =>
      storeEvents(
        deps,
        paths.map((path) => payload(project, at++, missed(path))),
      );
    const junk = (from: number, count: number): string[] =>
      Array.from({ length: count }, (_, i) => `/junk/${from + i}`);
    const rowOf = async (path: string) => {
      const [row] = await project.query<{ people: number; day: number }>(
        `select m.people::int as people, (select sum(d.hits)::int from pathmend.path_days d
                                           where d.project_id = m.project_id and d.path_hash = m.path_hash) as day
           from pathmend.missing_paths m where m.project_id = $1 and m.path = $2`,
        path,
      );
      return row;
    };
    // A day full of paths that somebody made up, each asked for twice.
    await store(['/first']);
    for (const [table, counts] of Object.entries({
      missing_paths: `path, people, unknown, assistants, search_engines, robots, scanners, last_human`,
      path_days: `day, visitor, hits`,
    })) {
      const values = table === 'path_days' ? `d.day, 'person', 2` : `'/junk/' || i, 2, 0, 0, 0, 0, 0, d.first_seen`;
      await project.query(`insert into pathmend.${table} (project_id, path_hash, ${counts}, redirected, clicked, suggested, nothing, gone,
                unlinked, first_seen, last_seen)
         select d.project_id, sha256(convert_to('/junk/' || i, 'UTF8')), ${values}, 0, 0, 0, 0, 0, 2, d.first_seen, d.last_seen
           from pathmend.path_days d, generate_series(1, 4999) as i where d.project_id = $1 and d.hits = 1`);
    }
    await project.query('update pathmend.rollups set paths = 5000 where project_id = $1');
    let stored = 1 + 2 * 4_999;
    const come = async (paths: readonly string[]): Promise<void> => {
      await store(paths);
      stored += paths.length;
    };
    for (let i = 0; i < 12; i++) await come([...junk(10_000 + 100 * i, 100), '/missed-by-many']);
    const [ever = 0, onDay = 0] = Object.values((await rowOf('/missed-by-many')) ?? {});
    expect(ever, 'ever').to.be.within(9, 12);
    expect(onDay, 'on the day').to.be.within(7, ever);

    // As if 100,000 paths were kept apart.
    await project.query('update pathmend.rollups set paths = 100000 where project_id = $1');
    for (let i = 0; i < 12; i++) await come([...junk(20_000 + 100 * i, 100), '/missed-later']);
    expect((await rowOf('/missed-later'))?.people, 'later').to.be.within(6, 12);
    expect((await rowOf('/missed-by-many'))?.people, 'still').to.equal(ever);
    const [sizes] = await project.query<{ paths: number; forgotten: number }>(
      `select paths::int as paths, forgotten::int as forgotten from pathmend.rollups where project_id = $1 and what = 'not_founds'`,
    );
    expect(sizes?.paths).to.be.within(95_000, 100_001);
    expect(sizes?.forgotten).to.be.within(1, 3);
    const [sums] =
      await project.query(`select (select sum(people)::int from pathmend.missing_paths where project_id = $1) as ever,
              (select sum(hits)::int from pathmend.path_days where project_id = $1) as days`);
    expect(sums).to.deep.equal({ ever: stored, days: stored });
  });

  for (const seed of [1, 2, 3]) {
    it(`are what their rows say, whatever came late, twice or in the wrong order (seed ${seed})`, async () => {
      const kept = await expectRebuilt(await lived(seed));
      for (const table of TABLES) expect(kept[table], table).not.to.be.empty;
      expect((kept['not_found_days'] as { outcome: string }[]).map((row) => row.outcome)).to.include.members([
        ...'redirected clicked suggested nothing gone robot unlinked'.split(' '),
      ]);
    });
  }

  it('go with the weeks of their rows', async () => {
    const project = await lived(4);
    const before = new Date(MONDAY + 16 * DAY);
    for (const [table, column] of [
      ['not_founds', 'received_at'],
      ['clicks', 'received_at'],
      ['searches', 'searched_at'],
    ])
      await project.query(
        `delete from pathmend.${table} where project_id = $1 and ${column} < $2`,
        new Date(MONDAY + 14 * DAY),
      );
    await dropOldRollups(test.service.db, before);
    const left = await expectRebuilt(project);
    for (const { day } of left['path_days'] as { day: string }[]) expect(day >= '2026-10-19', day).to.equal(true);
    expect(left['missing_paths']).not.to.be.empty;
  });
});
