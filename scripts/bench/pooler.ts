/**
 * What a pooler costs: cached and uncached suggests of an api without one, behind PgBouncer in session mode, and behind
 * one in transaction mode, in turns on one database: `DATABASE_URL=… node .build/scripts/bench/pooler.js`. PgBouncer by
 * scripts/postgres/pgbouncer.sh.
 */
import { Command } from 'commander';
import { startPgBouncer, type PgBouncer } from '../../test/support/pgbouncer.js';
import { generate, machine, rounded, takeTurns, type Figures } from './harness.js';
import { writeManyPages } from './index-many-pages.js';
import { createUnlimitedProject, runCommand, startServiceProcess } from './service-process.js';
import { throwawayDatabase } from './throwaway-database.js';

const options = new Command('pooler')
  .option('--pages <n>', 'pages of the site', '1000')
  .option('--rounds <n>', 'rounds of each', '3')
  .option('--seconds <n>', 'seconds of each round', '5')
  .option('--connections <n>', 'requests at once', '8')
  .parse()
  .opts<Record<'pages' | 'rounds' | 'seconds' | 'connections', string>>();
const [connections, seconds] = [Number(options.connections), Number(options.seconds)];

const server = process.env['DATABASE_URL'];
if (server === undefined) throw new Error('a pooler needs a server: set DATABASE_URL');
const database = await throwawayDatabase(server);
const poolers: Record<string, PgBouncer | undefined> = {
  none: undefined,
  session: await startPgBouncer(server, 'session', ['default_pool_size = 40']),
  transaction: await startPgBouncer(server, 'transaction', ['default_pool_size = 10']),
};
const environment: NodeJS.ProcessEnv = { ...process.env, DATABASE_URL: database.url };
await runCommand(['migrate'], environment);
const key = await createUnlimitedProject('pooled', environment);
const { file, paths, remove } = await writeManyPages(Number(options.pages), 400);
const worker = await startServiceProcess('worker', environment);
await runCommand(['pages', 'import', '--project', 'pooled', '--wait', file], environment);
await worker.stop();
await remove();

const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
const bodies = paths.map((path) => JSON.stringify({ path }));
const apis: Awaited<ReturnType<typeof startServiceProcess>>[] = [];
const cached: Record<string, () => Promise<Figures>> = {};
const uncached: Record<string, () => Promise<Figures>> = {};
for (const [name, pooler] of Object.entries(poolers)) {
  const settings = { ...environment, LOG_LEVEL: 'error', DATABASE_URL: pooler?.urlOf(database.url) ?? database.url };
  if (name === 'transaction') Object.assign(settings, { DATABASE_DIRECT_URL: database.url });
  for (const [entries, contenders] of [
    ['10000', cached],
    ['0', uncached],
  ] as const) {
    const api = await startServiceProcess('api', { ...settings, SEARCH_CACHE_ENTRIES: entries });
    apis.push(api);
    contenders[name] = async () => {
      const load = { url: `${api.url}/v1/suggest`, headers, bodies, connections, seconds };
      const { perSecond, p50, p95, failed } = await generate(load);
      if (failed > 0) throw new Error(`${failed} requests failed`);
      return { per_second: perSecond, p50_ms: p50, p95_ms: p95 };
    };
  }
}
const report: Record<string, unknown> = {};
for (const [kind, contenders] of Object.entries({ cached, uncached })) {
  const figures = await takeTurns(contenders, Number(options.rounds));
  const of = (name: string, figure: string): number => figures[name]?.[figure] ?? 0;
  for (const name of Object.keys(contenders))
    report[`${kind}, ${name === 'none' ? 'no pooler' : `${name} mode`}`] = {
      ...Object.fromEntries(Object.entries(figures[name] ?? {}).map(([figure, value]) => [figure, rounded(value)])),
      ...(name !== 'none' && { of_none: rounded(of(name, 'per_second') / of('none', 'per_second')) }),
    };
}
for (const api of apis) await api.stop();
for (const pooler of Object.values(poolers)) await pooler?.stop();
process.stdout.write(`${JSON.stringify({ machine: machine(), ...report }, null, 2)}\n`);
await database.drop();
process.exit();
