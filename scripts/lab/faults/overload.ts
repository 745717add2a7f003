/**
 * Asks ten times as much as the service can do and looks at what becomes of it: `DATABASE_URL=… node
 * .build/scripts/lab/faults/overload.js [--seconds 120] [--times 10] [--pages 1000]`. What it can do is measured first,
 * by a closed loop of uncached searches; then an open loop asks the multiple of that over connections that it has kept
 * (Node accepts one in a turn of its event loop: callers that first need one wait for that, in the kernel), while one
 * more client asks ten times a second and notes what it gets; then that client waits for the service to be as quick as
 * before. The generator, the service and the database share this machine: what the generator cannot send or is late
 * with is said.
 */
import { Command } from 'commander';
import { setTimeout as pause } from 'node:timers/promises';
import { OperatorError } from '#src/base/errors.js';
import { writeManyPages } from '../../service/index-many-pages.js';
import { quantile } from '../../service/many-pages.js';
import { memoryOf } from '../../service/child.js';
import { createUnlimitedProject, runCommand, startServiceProcess } from '../../service/service-process.js';
import { throwawayDatabase } from '../../service/throwaway-database.js';
import { generateLoad } from './overload/generate.js';
import { startProbe, type Probed } from './overload/probe.js';
import { watchService } from './overload/watch.js';

const options = new Command('overload')
  .option('--seconds <n>', 'of overload', '120')
  .option('--times <n>', 'what it can do', '10')
  .option('--pages <n>', 'of the project', '1000')
  .option('--connections <n>', 'of the open loop, opened before', '600')
  .parse()
  .opts<{ seconds: string; times: string; pages: string; connections: string }>();
const server = process.env['DATABASE_URL'];
if (server === undefined || server === '')
  throw new OperatorError('Set DATABASE_URL: the service is a process of the role api on a server.');

/** As many at once as keep it busy without a queue to speak of. */
const NORMAL_CONNECTIONS = 16;
const NORMAL_SECONDS = 20;
const RECOVERY_MS = 30_000;

const tell = (line: string): void => void process.stderr.write(`${line}\n`);
const ms = (value: number): string => value.toFixed(value < 10 ? 1 : 0);

const database = await throwawayDatabase(server);
const environment: NodeJS.ProcessEnv = { ...process.env, DATABASE_URL: database.url };
const { file, paths, remove } = await writeManyPages(Number(options.pages), 400);
const worker = await startServiceProcess('worker', environment);
const key = await createUnlimitedProject('overload', environment);
await runCommand(['pages', 'import', '--project', 'overload', '--wait', file], environment);
await remove();
await worker.stop();

const requests = paths.map((path, i) =>
  i % 2 === 0
    ? { path: '/v1/suggest', body: JSON.stringify({ path: `${path}-#` }) }
    : { path: '/v1/semantic-search', body: JSON.stringify({ query: `${path.replace(/[^a-z]+/g, ' ').trim()} #` }) },
);
const api = await startServiceProcess('api', environment);
const load = { url: api.url, key, requests, connections: NORMAL_CONNECTIONS };
await generateLoad({ ...load, seconds: 5 });
const probe = startProbe(api.url, key, paths);
const normal = await generateLoad({ ...load, seconds: NORMAL_SECONDS });
const normalProbe = probe.take();
const capacity = normal.served.count / NORMAL_SECONDS;
tell(
  `normal: ${ms(capacity)}/s served, p50 ${ms(normal.served.p50)}, p99 ${ms(normal.served.p99)} ms; ${JSON.stringify(normal)}`,
);

const watch = watchService(api);
const over = await generateLoad({
  ...load,
  connections: Number(options.connections),
  perSecond: capacity * Number(options.times),
  seconds: Number(options.seconds),
});
const endedAt = performance.now();
const watched = watch.stop();
const overProbe = probe.take();
tell(`over: ${JSON.stringify(over)}`);
tell(`watched: ${JSON.stringify(watched)}`);

/** As quick as before: five in a row served within what nineteen of twenty took in normal times. */
async function recoveredAfter(within: number): Promise<number> {
  const seen: Probed[] = [];
  while (performance.now() < endedAt + RECOVERY_MS) {
    seen.push(...probe.take());
    const at = seen.findIndex(
      (_, i) =>
        i + 5 <= seen.length && seen.slice(i, i + 5).every(({ status, took }) => status === 200 && took <= within),
    );
    if (at !== -1) return (seen[at]?.answeredAt ?? 0) - endedAt;
    await pause(50);
  }
  return Infinity;
}
const within = Math.max(
  quantile(
    normalProbe.map(({ took }) => took),
    0.95,
  ),
  normal.served.p95,
);
const recovery = await recoveredAfter(within);
await probe.stop();
const probeServed = overProbe.filter(({ status }) => status === 200).map(({ took }) => took);
const { rss_mb: rssAfter } = await memoryOf(api.pid);
await api.stop();
await database.drop();

const ratio = (name: 'p50' | 'p95' | 'p99'): string => (over.served[name] / normal.served[name]).toFixed(2);
const faults = [
  ...(over.withoutRetryAfter > 0 ? [`${over.withoutRetryAfter} refusals without Retry-After`] : []),
  ...(Object.keys(over.others).length > 0 ? [`other answers: ${JSON.stringify(over.others)}`] : []),
  ...(over.served.p95 > 3 * normal.served.p95 ? ['what was served took more than three times as long'] : []),
  ...(recovery > 5_000 ? ['not recovered within 5 s'] : []),
  ...(watched.unhealthy > 0 ? [`${watched.unhealthy} bad answers of /healthz, /readyz or /metrics`] : []),
  ...(watched.rssLast > 1.2 * watched.rssMiddle ? ['memory grows'] : []),
];
process.stdout.write(
  `overload: normal ${ms(capacity)}/s, p50 ${ms(normal.served.p50)} p95 ${ms(normal.served.p95)} p99 ${ms(normal.served.p99)} ms; ${options.seconds} s of ${ms(over.perSecond)}/s ` +
    `(${(over.perSecond / capacity).toFixed(1)} ×, ${over.unsent} could not be sent, generator late by ${ms(over.lagP99)} ms at p99): ` +
    `${over.served.count} served (${ms(over.served.count / Number(options.seconds))}/s), p50 ${ms(over.served.p50)} p95 ${ms(over.served.p95)} p99 ${ms(over.served.p99)} ms ` +
    `(${ratio('p50')}, ${ratio('p95')}, ${ratio('p99')} × normal); ${over.refused.count} refused with 503, p50 ${ms(over.refused.p50)} p99 ${ms(over.refused.p99)} ms, ${over.withoutRetryAfter} without Retry-After; ` +
    `probe ${probeServed.length} of ${overProbe.length} served, p50 ${ms(quantile(probeServed, 0.5))} p99 ${ms(quantile(probeServed, 0.99))} ms; ` +
    `event loop late by ${ms(watched.lagMedian)} ms (median of p99s), memory ${ms(watched.rssFirst)} MB before, ${ms(watched.rssMiddle)} halfway, ${ms(watched.rssLast)} at the end, ${ms(watched.rssMost)} at most, ${ms(rssAfter)} after; ` +
    `recovered after ${ms(recovery)} ms; ${faults.length} faults${faults.map((fault) => `\n  ${fault}`).join('')}\n`,
);
process.exit(faults.length > 0 ? 1 : 0);
