/**
 * Very many small projects in one database, beside few:
 *
 *   DATABASE_URL=… node .build/scripts/bench/projects.js [--counts 100,100000] [--touched 10000]
 *
 * DATABASE_URL names a server, its superuser; 100,000 projects take some GB there until the end. Each has ten pages of
 * a passage, made in SQL of some that were really indexed, two redirects, and a key.
 *
 * For each number: seconds to start; maintenance; memory of api and worker at the start and after so many projects were
 * searched and written to; searches and writes one after the other, each of another project, and what the server
 * planned and executed for them, where it preloads pg_stat_statements with track_planning; commands; the console's
 * list; vacuum.
 */
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Command } from 'commander';
import pg from 'pg';
import { OperatorError } from '#src/base/errors.js';
import { keepResults, rounded, type Figures } from './harness.js';
import { quantile } from './many-pages.js';
import { memoryOf } from './peers/child.js';
import { maintenance, resetStatements, sizes, statements, timed, vacuum } from './projects/facts.js';
import { makeProjects } from './projects/make-projects.js';
import { runCommand, startServiceProcess } from './service-process.js';
import { throwawayDatabase } from './throwaway-database.js';

const options = new Command('projects')
  .option('--counts <list>', 'projects, ascending', '100,100000')
  .option('--touched <n>', 'searches, and a fifth as many writes, each of the next project', '10000')
  .option('--calls <n>', 'calls one after the other', '200')
  .parse()
  .opts<{ counts: string; touched: string; calls: string }>();
const server = process.env['DATABASE_URL'];
if (server === undefined || server === '') throw new OperatorError('Set DATABASE_URL to a server.');
const CONNECTIONS = 4;
const PAGES = ['boots', 'tents', 'stoves', 'ropes', 'maps', 'packs', 'lamps', 'knives', 'bottles', 'gloves'].map(
  (name, i) => ({ url: `https://site.example/shop/${name}`, content: `${name} for long walks, shelf ${i}` }),
);

const database = await throwawayDatabase(server);
const environment: NodeJS.ProcessEnv = { ...process.env, DATABASE_URL: database.url };
const client = new pg.Client({ connectionString: database.url });
await client.connect();
await client.query('create extension pg_stat_statements').catch(() => undefined);
const template = await makeTemplate();
const keys: string[] = [];
const cookie = `__Host-pathmend=${await logIn()}`;
/** What was measured, by number of projects. */
const measured: Record<string, Record<number, Figures>> = {};
let turn = 0;
for (const count of options.counts.split(',').map(Number)) {
  const made = await timed(async () => {
    keys.push(...(await makeProjects(database.url, template, keys.length, count - keys.length)));
  });
  process.stderr.write(`${count} projects, made in ${Math.round(made / 1_000)} s\n`);
  const figures = { vacuum_s: await vacuum(client), ...(await sizes(client)), ...(await measure()) };
  process.stderr.write(`${JSON.stringify(figures)}\n`);
  for (const [name, found] of Object.entries(figures)) measured[name] = { ...measured[name], [count]: found };
}
await client.end();
await keepResults('projects', { pages_each: PAGES.length, touched: Number(options.touched), ...measured });
await database.drop();

async function makeTemplate(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'pathmend-projects-'));
  await writeFile(join(folder, 'pages.jsonl'), PAGES.map((page) => JSON.stringify(page)).join('\n'));
  await writeFile(join(folder, 'redirects.txt'), '/old/boots /shop/boots\n/old/tents /shop/tents\n');
  await runCommand(['migrate'], environment);
  const worker = await startServiceProcess('worker', environment);
  const { id } = (await runCommand(['project', 'create', '--name', 'template'], environment)) as { id: string };
  const ofTemplate = ['--project', 'template'];
  await runCommand(['pages', 'import', ...ofTemplate, '--wait', join(folder, 'pages.jsonl')], environment);
  await runCommand(['redirects', 'import', ...ofTemplate, join(folder, 'redirects.txt')], environment);
  await worker.stop();
  await rm(folder, { recursive: true });
  return id;
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

async function measure(): Promise<Record<string, Figures>> {
  const since = new Date();
  const started: Record<string, number> = {};
  const start = async (role: 'api' | 'worker') => {
    const from = performance.now();
    const child = await startServiceProcess(role, { ...environment, CONSOLE_PORT: '0' });
    started[role] = rounded((performance.now() - from) / 1_000);
    return child;
  };
  const api = await start('api');
  const worker = await start('worker');
  try {
    const memory = async (of: { pid: number }): Promise<number> => rounded((await memoryOf(of.pid)).rss_mb);
    const maintained = await maintenance(client, since);
    const fresh = { api_fresh: await memory(api), worker_fresh: await memory(worker) };
    const list = `${(api.ready as { console_url: string }).console_url}/`;
    const one_by_one = {
      suggest: await oneByOne(api.url, suggest),
      question: await oneByOne(api.url, question),
      upsert: await oneByOne(api.url, upsert),
    };
    const seconds = {
      start_api: started['api'] ?? 0,
      start_worker: started['worker'] ?? 0,
      maintenance: maintained,
      project_list: await secondsOf(() => runCommand(['project', 'list'], environment)),
      // It ends with 1 when it has found something.
      doctor: await secondsOf(() => runCommand(['doctor'], environment).catch(() => undefined)),
      console_list: await secondsOf(() => read(list, { cookie })),
      metrics: await secondsOf(() => read(`${worker.url}/metrics`, {})),
    };
    await touch(api.url);
    return {
      seconds,
      ...one_by_one,
      memory_mb: { ...fresh, api_touched: await memory(api), worker_touched: await memory(worker) },
    };
  } finally {
    await Promise.all([api.stop(), worker.stop()]);
  }
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  return rounded((await timed(work)) / 1_000);
}

type Request = (turn: number) => [path: string, body: object];
function suggest(n: number): ReturnType<Request> {
  return ['/v1/suggest', { path: `/store/boot-${n}` }];
}
function question(n: number): ReturnType<Request> {
  return ['/v1/semantic-search', { query: `which lamps for a walk of ${n} days` }];
}
function upsert(n: number): ReturnType<Request> {
  return ['/v1/pages/upsert', { url: `https://site.example/new/${n}`, content: `New ropes, number ${n}` }];
}

/** Each call of another project, whose rows nobody has asked for: the projects lie a large step apart. */
async function oneByOne(url: string, request: Request): Promise<Figures> {
  const calls = Number(options.calls);
  await inTurn(url, request, 20);
  await resetStatements(client);
  const times = await inTurn(url, request, calls);
  const found = await statements(client);
  const each = found && { plan_ms: rounded(found.plan_ms / calls), execute_ms: rounded(found.execute_ms / calls) };
  return { p50_ms: rounded(quantile(times, 0.5)), p95_ms: rounded(quantile(times, 0.95)), ...each };
}

async function inTurn(url: string, request: Request, calls: number): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < calls; i++) times.push(await timed(() => ask(url, request)));
  return times;
}

/** Searches of so many projects, and writes of a fifth of them; resolves when all is indexed. */
async function touch(url: string): Promise<void> {
  let left = Number(options.touched);
  const work = async (): Promise<void> => {
    while (left-- > 0) {
      await ask(url, suggest);
      if (left % 5 === 0) await ask(url, upsert);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  const waiting = `select from pathmend.pages where status <> 'INDEXED' limit 1`;
  while ((await client.query(waiting)).rowCount !== 0) await pause(200);
}

async function ask(url: string, request: Request): Promise<void> {
  const n = turn++;
  const [path, body] = request(n);
  const answer = await fetch(url + path, {
    method: 'POST',
    headers: { Authorization: `Bearer ${keys[(n * 7_919) % keys.length] ?? ''}` },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${text}`);
}

async function read(url: string, headers: Record<string, string>): Promise<void> {
  const answer = await fetch(url, { headers, redirect: 'manual' });
  await answer.text();
  if (answer.status !== 200) throw new Error(`${url} was answered ${answer.status}`);
}
