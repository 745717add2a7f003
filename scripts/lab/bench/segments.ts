/**
 * What the own indexes of many large projects cost everybody else: small projects with segments of their own are made,
 * ever more of them, and a project without is searched and written to beside them.
 *
 *   DATABASE_URL=… node .build/scripts/lab/bench/segments.js [--segments 0,100,300,1000,3000,10000]
 *
 * For each number: a search of the project that is scanned (`suggest`, `question`), one by a session that has planned
 * nothing yet (`new_session`), rows stored (`stored`, 200 passages with their pages), all in milliseconds; a search
 * through own indexes (`reached`); locks that planning a scan of all passages takes; the catalogue's and a session's
 * megabytes; seconds of ANALYZE and of a build.
 */
import { Command } from 'commander';
import pg from 'pg';
import { sql } from '#src/platform/database/sql.js';
import { pagesInReach, replaceIndexSegments } from '#src/pages/store/segments.js';
import { buildIndexSegment } from '#src/pages/store/segment-tables.js';
import { connect } from '#src/platform/database/session/connect.js';
import { createTenants } from '#src/platform/database/session/tenants.js';
import { parseCalibration } from '#src/search/ranking/scores/calibration.js';
import { rankForPath } from '#src/search/candidates/rank-for-path.js';
import { rankForQuery } from '#src/search/candidates/rank-for-query.js';
import { readDeadPath } from '#src/text/paths/dead-path.js';
import { startThrowawayService } from '../../eval/throwaway-service.js';
import { keepResults, rounded } from './harness.js';
import { indexManyPages } from '../../service/index-many-pages.js';
import { quantile } from '../../service/many-pages.js';
import { modelOf, wholeProject } from '../../whole-project.js';

const options = new Command('segments')
  .option('--segments <list>', 'numbers of segments, ascending', '0,100,300,1000,3000,10000')
  .option('--pages <n>', 'pages of the project that is scanned', '1000')
  .parse()
  .opts<{ segments: string; pages: string }>();

/** Pages of each project that has a segment. */
const SEGMENT_PAGES = 20;
const CALLS = 150;
const SESSIONS = 15;

const { service, stop } = await startThrowawayService({ ...process.env, OWN_INDEX_PASSAGES: '0' });
const { deps, database } = service;
const template = await indexManyPages(service, SEGMENT_PAGES, 1);
const { projectId, paths } = await indexManyPages(service, Number(options.pages), CALLS);
const { modelId, model } = await modelOf(service, projectId);
const calibration = parseCalibration(model.manifest.calibration);
const admin = new pg.Client({ connectionString: database.url });
await admin.connect();

/** Projects with the rows of the template. */
async function makeProjects(count: number): Promise<string[]> {
  const { rows } = await admin.query<{ project_id: string }>(
    `insert into pathmend.projects (name, model_id)
     select 'segment-' || gen_random_uuid(), model_id from pathmend.projects, generate_series(1, $2) where project_id = $1
     returning project_id`,
    [template.projectId, count],
  );
  const ids = rows.map((row) => row.project_id);
  for (const table of ['pages', 'indexed_pages', 'passages', 'page_terms', 'index_versions']) {
    const { rows: columns } = await admin.query<{ name: string }>(
      `select attname as name from pg_attribute
        where attrelid = $1::regclass and attnum > 0 and not attisdropped and attname not in ('project_id', 'arrival')
          and attgenerated = ''`,
      [`pathmend.${table}`],
    );
    const list = columns.map(({ name }) => `"${name}"`).join(', ');
    await admin.query(
      `insert into pathmend.${table} (project_id, ${list})
       select i.id, ${list} from unnest($2::uuid[]) as i (id), pathmend.${table} t where t.project_id = $1
        order by i.id`,
      [template.projectId, ids],
    );
  }
  return ids;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

async function times(count: number, work: (turn: number) => Promise<unknown>): Promise<number[]> {
  const taken: number[] = [];
  for (let turn = 0; turn < count; turn++) taken.push(await timed(() => work(turn)));
  return taken;
}

const median = (taken: readonly number[]): number => rounded(quantile([...taken], 0.5));

/** A version of the index that nobody asked about yet, so that no word is remembered. */
let indexVersion = 1_000;
const pathOf = (turn: number): string => paths[turn % paths.length] ?? '/';

async function ask(pool: typeof database.connection.pool, what: 'suggest' | 'question', turn: number): Promise<void> {
  const space = { ...wholeProject(createTenants(pool, true).of(projectId), modelId), indexVersion: indexVersion++ };
  if (what === 'suggest') await rankForPath(deps, calibration.suggest, space, readDeadPath(pathOf(turn)), 3);
  else await rankForQuery(deps, calibration.query, space, pathOf(turn).replace(/[^a-z]+/g, ' '), 3);
}

/** The time of the first search of a session. */
async function inNewSession(turn: number): Promise<number> {
  const connection = connect({
    url: database.url,
    max: 1,
    applicationName: 'bench',
    onIdleError: () => undefined,
    ownSessions: true,
  });
  await connection.pool.query('select 1');
  // `rankForPath` takes all from the space's database.
  const taken = await timed(() => ask(connection.pool, 'suggest', turn));
  await connection.close();
  return taken;
}

/** What an index run writes, rolled back. */
async function store(): Promise<number> {
  await admin.query('begin');
  const taken = await timed(async () => {
    await admin.query(
      `insert into pathmend.pages (project_id, page_id, url, url_hash, path_key, content, content_hash)
       select $1, md5(page_id)::char(24), url || '?copy', sha256(url_hash), path_key, content, content_hash
         from pathmend.pages where project_id = $1 order by page_id limit 50`,
      [projectId],
    );
    await admin.query(
      `insert into pathmend.passages (project_id, model_id, page_id, ordinal, start_at, end_at, embedding)
       select project_id, model_id, md5(page_id)::char(24), n, start_at, end_at, embedding
         from (select * from pathmend.passages where project_id = $1 and ordinal = -1 order by page_id limit 50) as r,
              generate_series(1, 4) as n`,
      [projectId],
    );
    await admin.query(
      `insert into pathmend.page_terms (project_id, page_id, part, terms)
       select project_id, md5(page_id)::char(24), part, terms
         from pathmend.page_terms where project_id = $1 order by page_id limit 50`,
      [projectId],
    );
    await admin.query(
      `insert into pathmend.indexed_pages (project_id, page_id, content_version, path, path_words, slug_words, path_trigrams,
                                           slug_trigrams, counted_words, words)
       select project_id, md5(page_id)::char(24), content_version, path, path_words, slug_words, path_trigrams,
              slug_trigrams, counted_words, words
         from pathmend.indexed_pages where project_id = $1 order by page_id limit 50`,
      [projectId],
    );
  });
  await admin.query('rollback');
  return taken;
}

/** What a session that plans a scan of all passages of a project locks, and remembers. */
async function planned(): Promise<{ planned_ms: number; locks: number; session_mb: number }> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query('begin');
  const ms = await timed(() =>
    client.query('explain select embedding from pathmend.passages where project_id = gen_random_uuid()'),
  );
  const { rows } = await client.query<{ locks: number; mb: number }>(
    `select (select count(*) from pg_locks where pid = pg_backend_pid())::int as locks,
            (select sum(used_bytes) / 1e6 from pg_backend_memory_contexts)::float8 as mb`,
  );
  await client.query('rollback');
  await client.end();
  return { planned_ms: rounded(ms), locks: rows[0]?.locks ?? 0, session_mb: rounded(rows[0]?.mb ?? 0) };
}

async function measure(largeProject: string | undefined): Promise<object> {
  await admin.query('analyze pathmend.pages');
  const analyze = await timed(() => admin.query('analyze pathmend.passages'));
  const { rows } = await admin.query<{ mb: number; relations: number }>(
    `select (select count(*) from pg_class)::int as relations,
            sum(pg_total_relation_size(oid))::float8 / 1e6 as mb
       from pg_class where relnamespace = 'pg_catalog'::regnamespace and relkind = 'r'`,
  );
  const { pool } = database.connection;
  await times(10, (turn) => ask(pool, 'suggest', turn));
  const { rows: vectors } = await admin.query<{ embedding: string }>(
    'select embedding::text from pathmend.passages where project_id = $1 limit 1',
    [projectId],
  );
  const reach = pagesInReach(
    { projectId: largeProject ?? projectId, modelId, covered: '-1' },
    { vector: sql`${vectors[0]?.embedding ?? ''}` },
  );
  return {
    suggest_ms: median(await times(CALLS, (turn) => ask(pool, 'suggest', turn))),
    question_ms: median(await times(CALLS, (turn) => ask(pool, 'question', turn))),
    new_session_ms: median(await sequence(SESSIONS, inNewSession)),
    stored_ms: median(await sequence(SESSIONS, store)),
    ...(largeProject !== undefined && {
      reached_ms: median(await times(CALLS, () => sql`select count(*) from ${reach}`.execute(database.connection.db))),
    }),
    ...(await planned()),
    analyze_s: rounded(analyze / 1_000),
    catalogue_mb: rounded(rows[0]?.mb ?? 0),
    relations: rows[0]?.relations,
  };
}

async function sequence(count: number, work: (turn: number) => Promise<number>): Promise<number[]> {
  const taken: number[] = [];
  for (let turn = 0; turn < count; turn++) taken.push(await work(turn));
  return taken;
}

const { rows: dimensions } = await admin.query<{ n: number }>(
  'select dimensions as n from pathmend.models where model_id = $1',
  [modelId],
);
const measured: Record<string, object> = {};
let made = 0;
let last: string | undefined;
for (const wanted of options.segments.split(',').map(Number)) {
  const builds: number[] = [];
  for (const id of wanted > made ? await makeProjects(wanted - made) : []) {
    const of = { projectId: id, modelId, dimensions: dimensions[0]?.n ?? 0, after: '-1' };
    builds.push(
      await timed(() =>
        database.direct.db.connection().execute(async (session) => {
          await replaceIndexSegments(session, id, modelId, await buildIndexSegment(session, of));
        }),
      ),
    );
    last = id;
    if (builds.length % 500 === 0) console.error(`${made + builds.length} segments`);
  }
  made = wanted;
  measured[wanted] = { ...(await measure(last)), ...(builds.length > 0 && { build_ms: median(builds) }) };
  console.error(wanted, JSON.stringify(measured[wanted]));
}
await admin.end();
await keepResults('segments', { pages: Number(options.pages), by_segments: measured });
await stop();
process.exit();
