/**
 * How long each page of the console takes for one large project, on a database that is made for it and dropped:
 *
 *   DATABASE_URL=postgres://… node .build/scripts/bench/console.js [--pages 1000000]
 *
 * Pages, redirects and sums are made in SQL. Prints the milliseconds of each page, and which tables it read from end
 * to end.
 */
import { createHash, randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { addLargeProject, PROJECT } from './console/large-project.js';
import { median, rounded } from './harness.js';
import { startChild } from './peers/child.js';
import { throwawayDatabase } from './throwaway-database.js';

const { values } = parseArgs({ options: { pages: { type: 'string', default: '1000000' } } });
const ROUNDS = 5;
const PAGE = '000000000000000000000001';
const PATHS = [
  '/',
  ...[
    '',
    '/inbox',
    '/inbox?section=/nothing-like-it',
    '/inbox?referrer=own&score=high',
    '/redirects',
    '/redirects?search=page-99',
    '/redirects/proposals',
    '/redirects/dry-run',
    '/redirects/history',
    '/pages',
    '/pages?status=ERROR',
    '/pages?url=page-999999',
    `/pages/${PAGE}`,
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
const pages = Number(values.pages);
const database = await throwawayDatabase(server);
const environment = { DATABASE_URL: database.url, PORT: '0', CONSOLE_PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'error' };
const service = await startChild(['dist/cli.js', 'serve', '--json'], environment, 'inherit').catch(
  async (error: unknown) => {
    await database.drop();
    throw error;
  },
);
const client = new pg.Client({ connectionString: database.url });
try {
  const { console_url: url } = service.ready as { console_url: string };
  await client.connect();
  const began = performance.now();
  await addLargeProject(client, { pages, redirects: pages / 10, missingPaths: pages });
  console.error(`${pages} pages made in ${((performance.now() - began) / 1_000).toFixed(0)} s`);
  const cookie = `__Host-pathmend=${await logIn()}`;
  for (const path of PATHS) {
    const took: number[] = [];
    await client.query('select pg_stat_reset()');
    for (let round = 0; round <= ROUNDS; round++) {
      const from = performance.now();
      const response = await fetch(url + path, { headers: { cookie }, redirect: 'manual' });
      await response.text();
      if (response.status !== 200) throw new Error(`${path} was answered ${response.status}`);
      // The first one plans, and fills the caches.
      if (round > 0) took.push(performance.now() - from);
    }
    console.log(`${rounded(median(took))} ms  ${path.replace(PROJECT, 'large')}${await readWhole()}`);
  }
} finally {
  await client.end();
  await service.stop();
  await database.drop();
}

async function logIn(): Promise<string> {
  const secret = randomBytes(32).toString('base64url');
  await client.query(
    `with u as (insert into pathmend.users (email, role) values ('bench@example.com', 'admin') returning user_id)
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
