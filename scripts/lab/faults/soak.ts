/**
 * Mixed traffic for a long time, and whether anything grows by it: `DATABASE_URL=… node
 * .build/scripts/lab/faults/soak.js [--minutes 20] [--per-second 20]`. One process of the role api and one worker;
 * every operation, of several projects, with pages that are created, changed and deleted, keys that are made and
 * revoked, and requests that are wrong. Every five seconds both processes and the database are looked at; each figure's
 * second half is compared with its first.
 */
import { Command } from 'commander';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { OperatorError } from '#src/base/errors.js';
import { startServiceProcess } from '../../service/service-process.js';
import { throwawayDatabase } from '../../service/throwaway-database.js';
import { judge, type Series } from './soak/judge.js';
import { sample } from './soak/sample.js';
import { startTraffic } from './soak/traffic.js';

const options = new Command('soak')
  .option('--minutes <n>', 'of traffic', '20')
  .option('--per-second <n>', 'requests', '20')
  .parse()
  .opts<{ minutes: string; perSecond: string }>();
const server = process.env['DATABASE_URL'];
if (server === undefined || server === '')
  throw new OperatorError('Set DATABASE_URL: the roles api and worker are two processes on one server.');

const EVERY_MS = 5_000;
/** A table of a few pages and figures that are nearly 0 are not printed while they stay so. */
const WORTH_SAYING = 0.1;
const LAST_JOBS_MS = 120_000;

const database = await throwawayDatabase(server);
// An hour of maintenance's clock would show nothing in twenty minutes; the cache is to be full before half of the
// time.
const environment: NodeJS.ProcessEnv = { ...process.env, DATABASE_URL: database.url, SEARCH_CACHE_ENTRIES: '500' };
const api = await startServiceProcess('api', environment);
const worker = await startServiceProcess('worker', environment);
const pool = new pg.Pool({ connectionString: database.url, max: 1, application_name: 'soak' });

const startedAt = performance.now();
const traffic = await startTraffic(api.url, environment, Number(options.perSecond));
const series: Series = new Map();
const until = startedAt + Number(options.minutes) * 60_000;
for (let next = performance.now(); performance.now() < until; next += EVERY_MS) {
  for (const [name, value] of await sample({ api, worker, pool }))
    series.set(name, [...(series.get(name) ?? []), value]);
  await pause(Math.max(0, next + EVERY_MS - performance.now()));
}
const counts = await traffic.stop();
const open = `select from pgboss.job where state in ('created', 'active', 'retry') and name <> 'maintenance' limit 1`;
for (const end = performance.now() + LAST_JOBS_MS; performance.now() < end && (await pool.query(open)).rowCount !== 0;)
  await pause(500);
const left = (
  await pool.query<{ n: number }>(
    `select count(*)::int as n from pgboss.job where state in ('created', 'active', 'retry') and name <> 'maintenance'`,
  )
).rows[0]?.n;

const verdicts = judge(series, EVERY_MS).filter(({ most, flat }) => most >= WORTH_SAYING || !flat);
for (const { name, first, second, most, flat } of verdicts)
  process.stdout.write(
    `  ${flat ? 'flat ' : 'GROWS'} ${name}: ${first} in the first half (without the beginning), ${second} in the second, ${most} at most\n`,
  );
const growing = verdicts.filter(({ flat }) => !flat).map(({ name }) => name);
// A 503 says when to come again: it is no failure, where the machine has other work.
const failed = Object.entries(counts).filter(([kind]) => / (0|5\d\d)$/.test(kind) && !kind.endsWith(' 503'));
process.stdout.write(
  `soak: ${Math.round((performance.now() - startedAt) / 60_000)} minutes, ${Object.values(counts).reduce((sum, n) => sum + n, 0)} requests ` +
    `(${Object.entries(counts)
      .sort()
      .map(([kind, n]) => `${n} × ${kind}`)
      .join(', ')}), ${series.get('api rss MB')?.length ?? 0} samples: ` +
    `${growing.length === 0 ? 'all flat' : `growing: ${growing.join(', ')}`}; ${left ?? '?'} jobs left; ${failed.length} kinds of failures\n`,
);
await pool.end();
await api.stop();
await worker.stop();
await database.drop();
process.exit(growing.length + failed.length + (left ?? 1) > 0 ? 1 : 0);
