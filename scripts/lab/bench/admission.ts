/**
 * What a cached suggest costs beside its floor, at the default log level: `node .build/scripts/lab/bench/admission.js
 * [--rounds 5] [--seconds 10]`; DATABASE_URL names a server, else embedded. The floor is the same Express answering the
 * same body to everybody: no key, no body read, no log, no metrics. Both have a process of their own, as has the load
 * generator; 16 connections. Kept in docs/benchmarks/admission-server.json or -embedded.json.
 */
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { openSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { createLogger } from '#src/platform/telemetry/create-logger.js';
import { startThrowawayService } from '../../eval/throwaway-service.js';
import { generate, keepResults, rounded, startBareExpress, takeTurns, type Figures } from './harness.js';
import { indexManyPages } from '../../service/index-many-pages.js';

const CONNECTIONS = 16;

if (process.env['BENCH_FLOOR'] !== undefined) {
  const body = process.env['BENCH_FLOOR'];
  const floor = await startBareExpress((request, response) => {
    request.resume();
    response.type('json').send(body);
  });
  process.stdout.write(`${floor.url}\n`);
  await once(process, 'disconnect');
  process.exit();
}

const options = new Command('admission')
  .option('--rounds <n>', 'rounds of each', '5')
  // In its first seconds after the other's turn, a process has a small heap and collects garbage more often.
  .option('--seconds <n>', 'seconds of each round', '10')
  .option('--pages <n>', 'pages of the site', '1000')
  .parse()
  .opts<{ rounds: string; seconds: string; pages: string }>();

// Written to at once, as stderr is.
const devNull = openSync('/dev/null', 'w');
const nowhere = new Writable({
  decodeStrings: false,
  write: (line: string, _encoding, done) => {
    writeSync(devNull, line);
    done();
  },
});

const { service, stop } = await startThrowawayService(
  { ...process.env, SEARCH_CACHE_ENTRIES: '1000' },
  createLogger('info', nowhere),
);
const { key, paths } = await indexManyPages(service, Number(options.pages), 10);

const body = JSON.stringify({ path: paths[0] });
const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
const answer = await (await fetch(`${service.url}/v1/suggest`, { method: 'POST', headers, body })).text();
const floor = spawn(process.execPath, [fileURLToPath(import.meta.url)], {
  env: { ...process.env, BENCH_FLOOR: answer },
  stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
});
if (!floor.stdout) throw new Error('the floor has no output');
const [floorUrl] = (await once(createInterface(floor.stdout), 'line')) as [string];

const seconds = Number(options.seconds);
const measure = (url: string) => async (): Promise<Figures> => {
  const { perSecond, p50, p95, p99, failed } = await generate({
    url,
    headers,
    bodies: [body],
    connections: CONNECTIONS,
    seconds,
  });
  if (failed > 0) throw new Error(`${failed} requests to ${url} failed`);
  return { per_second: perSecond, p50_ms: p50, p95_ms: p95, p99_ms: p99 };
};
const figures = await takeTurns(
  { floor: measure(floorUrl), suggest_cached: measure(`${service.url}/v1/suggest`) },
  Number(options.rounds),
);
const alone = await generate({ url: `${service.url}/v1/suggest`, headers, bodies: [body], connections: 1, seconds: 2 });
await service.deps.log.flush();
const { rows } = await service.database.connection.pool.query<{ p50: number; p99: number }>(
  `select percentile_cont(0.5) within group (order by took_ms) as p50, percentile_cont(0.99) within group (order by took_ms) as p99
     from (select took_ms from pathmend.searches where cached order by searched_at desc limit 1000) as last`,
);
const of = (name: string): number => (figures['suggest_cached']?.[name] ?? 0) / (figures['floor']?.[name] ?? 1);
await keepResults(`admission-${service.database.isEmbedded ? 'embedded' : 'server'}`, {
  what: 'cached suggest beside bare Express answering the same body; medians of rounds that alternate',
  log: 'LOG_LEVEL info to /dev/null; the floor logs nothing',
  connections: CONNECTIONS,
  rounds: Number(options.rounds),
  seconds,
  pages: Number(options.pages),
  answer_bytes: answer.length,
  ...Object.fromEntries(
    Object.entries(figures).map(([name, list]) => [
      name,
      Object.fromEntries(Object.entries(list).map(([figure, value]) => [figure, rounded(value)])),
    ]),
  ),
  of_floor: rounded(of('per_second')),
  p99_of_floor: rounded(of('p99_ms')),
  one_connection: { per_second: rounded(alone.perSecond), p50_ms: rounded(alone.p50), p99_ms: rounded(alone.p99) },
  search_ms_of_a_hit: { p50: rounded(rows[0]?.p50 ?? 0), p99: rounded(rows[0]?.p99 ?? 0) },
});
floor.disconnect();
await stop();
process.exit();
