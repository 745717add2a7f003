/**
 * Measures the pages of the console that show figures, over HTTP, logged in, of one project with a month of a million
 * 404s and 200,000 searches (fill-month.ts), over that month and over 400 days:
 *
 *   node .build/scripts/lab/bench/console.js [--not-founds 1000000] [--rounds 5] [--pages 2000] [--hosts 1000]
 *
 * DATABASE_URL names a server on this machine, whose processor time is read. `--keep yes` prints the database's url and
 * keeps it; `--database URL` measures such a one again.
 */
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { loadavg } from 'node:os';
import pg from 'pg';
import { hashSecret, mintSecret } from '#src/accounts/credentials.js';
import { median } from '#src/watch/detect.js';
import { startServiceProcess } from '../../service/service-process.js';
import { keepResults, readOptions, tell, type Figures } from '../harness.js';
import { neededServer, onNewDatabase } from '../processes.js';
import { fillMonth, processorTime } from './fill-month.js';

const { notFounds, rounds, pages, hosts, keep, database } = readOptions({
  notFounds: [1_000_000, '404s of the month'],
  rounds: [5, 'rounds of each page, behind those that are thrown away'],
  pages: [2_000, 'pages of the project'],
  hosts: [1_000, 'hosts of the second project'],
  keep: ['no', 'yes: the database stays'],
  database: ['', 'url of a database that was kept'],
});

/** So many rounds are thrown away: pages and suggestions are read from the disk and computed then. */
const WARM_UPS = 3;

/** A missing path that many people meet. */
const PATH = '/old-7/page-7';
const PAGES = {
  Projects: '/',
  Overview: '/p/:project',
  'Missing pages': '/p/:project/analytics',
  Redirects: '/p/:project/analytics/redirects',
  'Links and gaps': '/p/:project/analytics/links',
  Searches: '/p/:project/analytics/searches',
  'Speed and usage': '/p/:project/analytics/usage',
  Inbox: '/p/:project/inbox',
  'Missing path': `/p/:project/inbox/path?path=${PATH}`,
  'Dry run': '/p/:project/redirects/dry-run',
  'A page of the site': '/p/:project/pages/:page',
};
const RANGES = { month: 'from=2026-03-01&to=2026-03-31', days_400: 'from=2025-02-25&to=2026-03-31' };

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((done) => void server.close(() => done()));
  return port;
}

/** Milliseconds of processor time of all of the server's processes that serve this database. */
async function databaseTime(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>(
    'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  const times = await Promise.all(rows.map(({ pid }) => processorTime(pid).catch(() => 0)));
  return times.reduce((sum, time) => sum + time, 0);
}

/** A login in all projects; the cookie of its session. */
async function logIn(client: pg.Client): Promise<string> {
  const secret = mintSecret();
  await client.query(
    `with u as (insert into pathmend.users (email, role) values ($1, 'admin') on conflict (email) do update set role = 'admin' returning user_id)
     insert into pathmend.sessions (token_hash, user_id, method, group_roles) select $2, user_id, 'password', '{}' from u`,
    ['bench@example.com', hashSecret(secret)],
  );
  return `__Host-pathmend=${secret}`;
}

async function measure(client: pg.Client, consoleUrl: string, project: string): Promise<Record<string, Figures>> {
  const cookie = await logIn(client);
  const { rows } = await client.query<{ page: string }>(
    `select results -> 0 ->> 'page_id' as page from pathmend.searches where best_score is not null order by search_id limit 1`,
  );
  const measured: Record<string, Figures> = {};
  for (const [name, page] of Object.entries(PAGES)) {
    const figures: Figures = {};
    for (const [range, query] of Object.entries(RANGES)) {
      const path = page.replace(':project', project).replace(':page', rows[0]?.page ?? '');
      const url = `${consoleUrl}${path}${path.includes('?') ? '&' : '?'}${query}`;
      const [ms, cpu]: [number[], number[]] = [[], []];
      for (let round = 0; round < rounds + WARM_UPS; round++) {
        const before = await databaseTime(client);
        const began = performance.now();
        const response = await fetch(url, { headers: { cookie }, redirect: 'manual' });
        const text = await response.text();
        const took = performance.now() - began;
        if (response.status !== 200) throw new Error(`${url} answered ${response.status}: ${text.slice(0, 200)}`);
        if (round >= WARM_UPS) ms.push(took);
        if (round >= WARM_UPS) cpu.push((await databaseTime(client)) - before);
      }
      figures[`ms_${range}`] = median(ms);
      figures[`cpu_ms_${range}`] = median(cpu);
    }
    measured[name] = figures;
    tell(
      `${name}: ${JSON.stringify(figures, (_, value: unknown) => (typeof value === 'number' ? Math.round(value) : value))}`,
    );
  }
  return measured;
}

/** Measures how long it takes to find the hosts of a project with one page on each of so many. */
async function measureHosts(client: pg.Client, project: string): Promise<Figures> {
  const times: number[] = [];
  let known = 0;
  await client.query('begin');
  await client.query(
    `insert into pathmend.pages (project_id, page_id, url, url_hash, path_key, content, content_hash, status)
     select $1, left(encode(sha256(convert_to(u.url, 'UTF8')), 'hex'), 24), u.url, sha256(convert_to(u.url, 'UTF8')), sha256(convert_to(u.url, 'UTF8')), '', sha256(''), 'INDEXED'
       from (select 'https://host-' || i || '.example/' as url from generate_series(1, $2::int) as i) as u`,
    [project, hosts],
  );
  for (let round = 0; round <= rounds; round++) {
    const began = performance.now();
    const { rows } = await client.query<{ hosts: number }>('select cardinality(pathmend.hosts_of($1)) as hosts', [
      project,
    ]);
    if (round > 0) times.push(performance.now() - began);
    known = rows[0]?.hosts ?? 0;
  }
  await client.query('rollback');
  return { hosts: known, ms: median(times) };
}

const server = database === '' ? neededServer() : database;
const environment = { EMBEDDING_MODEL: 'static', CONSOLE_PORT: String(await freePort()) };
const processes = database === '' ? await onNewDatabase(server, environment) : undefined;
const databaseUrl = processes?.databaseUrl ?? database;
const client = new pg.Client({ connectionString: databaseUrl });
await client.connect();
try {
  if (processes) await fillMonth(processes, client, { pages, notFounds, searchedOf10: 2 });
  if (keep === 'yes') tell(`kept: ${databaseUrl}`);
  const { rows } = await client.query<{ id: string }>(
    `select project_id as id from pathmend.projects where name = 'demo'`,
  );
  const project = rows[0]?.id ?? '';
  const child = await startServiceProcess('api', { ...process.env, ...environment, DATABASE_URL: databaseUrl });
  try {
    const load = loadavg()[0] ?? 0;
    const measured = await measure(client, (child.ready as { console_url: string }).console_url, project);
    const hostsFound = await measureHosts(client, project);
    await keepResults('console-server', {
      what: 'pages of the console over HTTP, a month and 400 days; medians, milliseconds',
      not_founds: notFounds,
      pages,
      rounds,
      load_before: load,
      load_after: loadavg()[0] ?? 0,
      hosts_of: hostsFound,
      console: measured,
    });
  } finally {
    await child.stop();
  }
} finally {
  await client.end();
  if (keep !== 'yes') await processes?.stop();
}
process.exit();
