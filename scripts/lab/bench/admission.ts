/**
 * Measures what a cached suggest costs in comparison with its floor, at the default log level: `node
 * .build/scripts/lab/bench/admission.js [--rounds 5] [--seconds 10]`; DATABASE_URL names a server, else embedded. The
 * floor is the same Express answering the same body to everybody: no key, no body read, no log, no metrics. Service,
 * floor and load generator have a process each; 16 connections. The results are kept in
 * docs/evidence/benchmarks/admission-server.json or -embedded.json.
 */
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { openSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { createLogger } from '#src/platform/telemetry/create-logger.js';
import { startThrowawayService } from '../../eval/throwaway-service.js';
import { indexManyPages } from '../../service/index-many-pages.js';
import {
  generate,
  jsonHeaders,
  keepResults,
  readOptions,
  share,
  startBareExpress,
  takeTurns,
  type Figures,
} from '../harness.js';

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

const { rounds, seconds, pages } = readOptions({
  rounds: [5, 'rounds of each'],
  // In its first seconds after the other's turn, a process has a small heap and collects garbage more often.
  seconds: [10, 'seconds of each round'],
  pages: [1000, 'pages of the site'],
});

// Log lines are written at once, as they are to stderr.
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
const { key, paths } = await indexManyPages(service, pages, 10);

const body = JSON.stringify({ path: paths[0] });
const headers = jsonHeaders(key);
const answer = await (await fetch(`${service.url}/v1/suggest`, { method: 'POST', headers, body })).text();
const floor = spawn(process.execPath, [fileURLToPath(import.meta.url)], {
  env: { ...process.env, BENCH_FLOOR: answer },
  stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
});
if (!floor.stdout) throw new Error('the floor has no output');
const [floorUrl] = (await once(createInterface(floor.stdout), 'line')) as [string];

const load = { headers, bodies: [body], connections: CONNECTIONS, seconds };
const measure = (url: string) => async (): Promise<Figures> => {
  const { perSecond, p50, p95, p99, failed } = await generate({ ...load, url });
  if (failed > 0) throw new Error(`${failed} requests to ${url} failed`);
  return { per_second: perSecond, p50_ms: p50, p95_ms: p95, p99_ms: p99 };
};
const figures = await takeTurns(
  { floor: measure(floorUrl), suggest_cached: measure(`${service.url}/v1/suggest`) },
  rounds,
);
const alone = await generate({ ...load, url: `${service.url}/v1/suggest`, connections: 1, seconds: 2 });
await service.deps.log.flush();
const { rows } = await service.database.connection.pool.query<{ p50: number; p99: number }>(
  `select percentile_cont(0.5) within group (order by took_ms) as p50, percentile_cont(0.99) within group (order by took_ms) as p99
     from (select took_ms from pathmend.searches where cached order by searched_at desc limit 1000) as last`,
);
await keepResults(`admission-${service.database.isEmbedded ? 'embedded' : 'server'}`, {
  what: 'cached suggest beside bare Express answering the same body; medians of rounds that alternate',
  log: 'LOG_LEVEL info to /dev/null; the floor logs nothing',
  connections: CONNECTIONS,
  rounds,
  seconds,
  pages,
  answer_bytes: answer.length,
  ...figures,
  of_floor: share(figures, 'per_second', 'suggest_cached', 'floor'),
  p99_of_floor: share(figures, 'p99_ms', 'suggest_cached', 'floor'),
  one_connection: { per_second: alone.perSecond, p50_ms: alone.p50, p99_ms: alone.p99 },
  search_ms_of_a_hit: { p50: rows[0]?.p50 ?? 0, p99: rows[0]?.p99 ?? 0 },
});
floor.disconnect();
await stop();
process.exit();
