/**
 * How long each page of the console takes for one large project, on a database that is made for it and dropped:
 *
 *   DATABASE_URL=postgres://… node .build/scripts/bench/console.js [--pages 1000000] [--keep | --again URL]
 *
 * Pages, redirects and sums are made in SQL. Prints the milliseconds of each page until its last byte, those until a
 * browser has painted it first, and which tables it read from end to end.
 * --keep leaves the database there and prints its url; --again asks such a database, with the console of this checkout.
 */
import { createHash, randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { addLargeProject, PROJECT } from './console/large-project.js';
import { buildOwnIndexes } from './console/searchable-pages.js';
import { openTab, startBrowser } from '../../test/support/browser.js';
import { keepResults, median, rounded } from './harness.js';
import { startChild } from './peers/child.js';
import { throwawayDatabase } from './throwaway-database.js';

const { values } = parseArgs({
  options: { pages: { type: 'string', default: '1000000' }, keep: { type: 'boolean' }, again: { type: 'string' } },
});
const ROUNDS = 5;
const PAINTED = 3;
/** The browser may paint after the page was loaded; -1: not within five seconds. */
const FIRST_PAINT = `new Promise((done) => {
  setTimeout(done, 5_000, -1);
  new PerformanceObserver((list) => {
    for (const { name, startTime } of list.getEntries()) if (name === 'first-contentful-paint') done(startTime);
  }).observe({ type: 'paint', buffered: true });
})`;
const PAGE = '000000000000000000000001';
/** Stands for a sync's id, which is made by the database. */
const RUN = 'RUN';
const PATHS = [
  '/',
  '/?after=site%200500',
  ...[
    '',
    '/inbox',
    '/inbox?section=/nothing-like-it',
    '/inbox?referrer=own&score=high',
    '/inbox/choose?path=/old/page-1',
    '/inbox/preview',
    '/redirects',
    '/redirects?search=page-99',
    '/redirects/proposals',
    '/redirects/dry-run',
    '/redirects/history',
    '/redirects/check',
    '/redirects/check?after=/old/r-5',
    '/redirects/transfer',
    '/redirects/edit?path=/old/*&action=redirect&target=/new/:splat',
    '/pages',
    '/pages?status=ERROR',
    '/pages?url=page-999999',
    `/pages/${PAGE}`,
    '/pages/syncs',
    `/pages/syncs/${RUN}`,
    '/try?input=/old/page-1',
    '/analytics?days=90&visitors=all&prefix=/old/page-9',
    '/analytics/redirects',
    '/analytics/redirects?prefix=/nothing',
    '/watch',
    '/analytics?days=30',
    '/analytics?days=90',
    '/analytics/links?days=30',
    '/analytics/links?days=90',
    '/analytics/searches?days=90',
    '/analytics/usage?days=90',
    '/settings',
  ].map((path) => `/p/${PROJECT}${path}`),
  '/audit',
];

const server = process.env['DATABASE_URL'];
if (server === undefined || server === '') throw new Error('Set DATABASE_URL to a server.');
let pages = Number(values.pages);
const { again } = values;
const database = again === undefined ? await throwawayDatabase(server) : { url: again };
/** Of a database that is kept: its url is said. */
async function leave(): Promise<void> {
  if ('drop' in database && values.keep !== true) await database.drop();
  else console.error(`kept: ${database.url}`);
}
const environment = { DATABASE_URL: database.url, PORT: '0', CONSOLE_PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'error' };
const service = await startChild(['dist/cli.js', 'serve', '--json'], environment, 'inherit').catch(
  async (error: unknown) => {
    await leave();
    throw error;
  },
);
const client = new pg.Client({ connectionString: database.url });
try {
  const { console_url: url } = service.ready as { console_url: string };
  await client.connect();
  if (again === undefined) {
    const began = performance.now();
    await addLargeProject(client, { pages, redirects: pages / 10, missingPaths: pages });
    await buildOwnIndexes(database.url, PROJECT);
    console.error(`${pages} pages made and indexed in ${((performance.now() - began) / 1_000).toFixed(0)} s`);
  } else {
    const { rows } = await client.query<{ pages: number }>(
      'select pages::float8 as pages from pathmend.index_versions where project_id = $1',
      [PROJECT],
    );
    pages = rows[0]?.pages ?? 0;
  }
  const cookie = `__Host-pathmend=${await logIn()}`;
  const { rows: runs } = await client.query<{ run_id: string }>('select run_id from pathmend.sync_runs limit 1');
  const browser = await startBrowser();
  const { page: tab, context, close } = await openTab(browser);
  await context.addCookies([
    {
      name: '__Host-pathmend',
      value: cookie.split('=')[1] ?? '',
      domain: new URL(url).hostname,
      path: '/',
      secure: true,
      httpOnly: true,
      sameSite: 'Lax',
    },
  ]);
  const times: Record<string, { ms: number; first_paint_ms: number; kb: number }> = {};
  for (const named of PATHS) {
    const path = named.replace(RUN, runs[0]?.run_id ?? '');
    const took: number[] = [];
    let bytes = 0;
    await client.query('select pg_stat_reset()');
    for (let round = 0; round <= ROUNDS; round++) {
      const from = performance.now();
      const response = await fetch(url + path, { headers: { cookie }, redirect: 'manual' });
      bytes = (await response.arrayBuffer()).byteLength;
      if (response.status !== 200) throw new Error(`${path} was answered ${response.status}`);
      // The first one plans, and fills the caches.
      if (round > 0) took.push(performance.now() - from);
    }
    const painted: number[] = [];
    for (let round = 0; round < PAINTED; round++) {
      await tab.goto(url + path);
      painted.push(await tab.evaluate<number>(FIRST_PAINT));
    }
    const name = named.replace(PROJECT, 'large');
    times[name] = { ms: rounded(median(took)), first_paint_ms: rounded(median(painted)), kb: rounded(bytes / 1_000) };
    console.log(`${times[name].ms} ms, painted ${times[name].first_paint_ms} ms  ${name}${await readWhole()}`);
  }
  await close();
  await browser.close();
  await keepResults('console', {
    what: `each page of the console, of a project with ${pages} pages and ${pages / 10} redirects beside a thousand others; median of ${ROUNDS} until the last byte, and of ${PAINTED} until Chromium has painted first`,
    times,
  });
} finally {
  await client.end();
  await service.stop();
  await leave();
}

async function logIn(): Promise<string> {
  const secret = randomBytes(32).toString('base64url');
  await client.query(
    `with u as (insert into pathmend.users (email, role) values ('bench@example.com', 'admin')
                on conflict (email) do update set role = 'admin' returning user_id)
     insert into pathmend.sessions (token_hash, user_id) select $1, user_id from u`,
    [createHash('sha256').update(secret).digest()],
  );
  return secret;
}

/** Tables of more than ten thousand rows of which sequential scans read as many. */
async function readWhole(): Promise<string> {
  // What a connection did is told a second later at most.
  await new Promise((done) => setTimeout(done, 1_500));
  const { rows } = await client.query<{ relname: string }>(
    `select s.relname from pg_stat_user_tables s join pg_class c on c.oid = s.relid
      where s.schemaname = 'pathmend' and c.reltuples > 10000 and s.seq_tup_read > 10000 order by 1`,
  );
  return rows.length === 0 ? '' : `  SEQUENTIAL: ${rows.map(({ relname }) => relname).join(', ')}`;
}
