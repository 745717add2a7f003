/**
 * Sends ten times as many requests as the service can serve and watches it: `DATABASE_URL=… node
 * .build/scripts/lab/faults/overload.js [--seconds 120] [--times 10] [--pages 1000]`. The rate that it can serve is
 * measured first, by a closed loop of uncached searches. Then an open loop sends the multiple of that over connections
 * that it has kept (Node accepts one connection in a turn of its event loop: callers that first need one wait for that,
 * in the kernel), while one more client asks ten times a second and notes what it gets. Then that client waits for the
 * service to be as quick as before. The generator, the service and the database share this machine: the report shows
 * how much the generator could not send, and how late it was.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { median } from '#src/watch/detect.js';
import { memoryOf } from '../../service/child.js';
import { quantile } from '../../service/many-pages.js';
import { readOptions, runApart, tell } from '../harness.js';
import { watchMemory } from '../memory-samples.js';
import { neededServer, onNewDatabase } from '../processes.js';
import type { Load, LoadReport } from './open-loop.js';
import { startProbe, type Probed } from './probe.js';

const options = readOptions({
  seconds: [120, 'of overload'],
  times: [10, 'what it can do'],
  pages: [1000, 'of the project'],
  connections: [600, 'of the open loop, opened before'],
});
/** This many requests at once keep the service busy, with hardly a queue. */
const NORMAL_CONNECTIONS = 16;
const NORMAL_SECONDS = 20;
const RECOVERY_MS = 30_000;

const ms = (value: number): string => value.toFixed(value < 10 ? 1 : 0);
/** The milliseconds by which the service's event loop was late, as the 99th percentile read each second. */
const late: number[] = [];
/** Answers of /healthz, /readyz and /metrics that were not 200. */
let unhealthy = 0;

/** Reads what operators see: metrics, liveness and readiness. */
async function look(): Promise<void> {
  const answerTexts = ['/metrics', '/healthz', '/readyz'].map(async (path) => {
    const answer = await fetch(api.url + path).catch(() => undefined);
    if (answer?.status !== 200) unhealthy++;
    return (await answer?.text()) ?? '';
  });
  const [metrics = ''] = await Promise.all(answerTexts);
  late.push(1_000 * Number(/^nodejs_eventloop_lag_p99_seconds (\S+)/m.exec(metrics)?.[1] ?? 0));
}

const generateLoad = async (load: Load): Promise<LoadReport> =>
  (await runApart(new URL('./open-loop.js', import.meta.url), load)) as LoadReport;

const processes = await onNewDatabase(neededServer());
const worker = await processes.serve('worker');
const { key, paths } = await processes.fill('overload', options.pages, 400);
await worker.stop();

const requests = paths.map((path, i) =>
  i % 2 === 0
    ? { path: '/v1/suggest', body: JSON.stringify({ path: `${path}-#` }) }
    : { path: '/v1/semantic-search', body: JSON.stringify({ query: `${path.replace(/[^a-z]+/g, ' ').trim()} #` }) },
);
const api = await processes.serve('api');
const load = { url: api.url, key, requests, connections: NORMAL_CONNECTIONS };
await generateLoad({ ...load, seconds: 5 });
const probe = startProbe(api.url, key, paths);
const normal = await generateLoad({ ...load, seconds: NORMAL_SECONDS });
const normalProbe = probe.take();
const capacity = normal.served.count / NORMAL_SECONDS;
tell(
  `normal: ${ms(capacity)}/s served, p50 ${ms(normal.served.p50)}, p99 ${ms(normal.served.p99)} ms; ${JSON.stringify(normal)}`,
);

const memory = watchMemory(api.pid);
const watch = setInterval(() => void look(), 1_000);
const over = await generateLoad({
  ...load,
  connections: options.connections,
  perSecond: capacity * options.times,
  seconds: options.seconds,
});
const endedAt = performance.now();
clearInterval(watch);
const rss = await memory.stop();
const overProbe = probe.take();
tell(`over: ${JSON.stringify(over)}`);
tell(`memory: ${JSON.stringify(rss)}`);

/**
 * Returns the milliseconds from the end of the overload until the service was as quick as before: five requests in a
 * row were served `within` the time that nineteen of twenty took in normal times.
 */
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
await processes.stop();

const ratio = (name: 'p50' | 'p95' | 'p99'): string => (over.served[name] / normal.served[name]).toFixed(2);
const faults = [
  ...(over.withoutRetryAfter > 0 ? [`${over.withoutRetryAfter} refusals without Retry-After`] : []),
  ...(Object.keys(over.otherAnswers).length > 0 ? [`other answers: ${JSON.stringify(over.otherAnswers)}`] : []),
  ...(over.served.p95 > 3 * normal.served.p95 ? ['what was served took more than three times as long'] : []),
  ...(recovery > 5_000 ? ['not recovered within 5 s'] : []),
  ...(unhealthy > 0 ? [`${unhealthy} bad answers of /healthz, /readyz or /metrics`] : []),
  ...(rss.last_quarter_rss_mb > 1.2 * rss.first_quarter_rss_mb ? ['memory grows'] : []),
];
process.stdout.write(
  `overload: normal ${ms(capacity)}/s, p50 ${ms(normal.served.p50)} p95 ${ms(normal.served.p95)} p99 ${ms(normal.served.p99)} ms; ${options.seconds} s of ${ms(over.perSecond)}/s ` +
    `(${(over.perSecond / capacity).toFixed(1)} ×, ${over.unsent} could not be sent, generator late by ${ms(over.lagP99)} ms at p99): ` +
    `${over.served.count} served (${ms(over.served.count / options.seconds)}/s), p50 ${ms(over.served.p50)} p95 ${ms(over.served.p95)} p99 ${ms(over.served.p99)} ms ` +
    `(${ratio('p50')}, ${ratio('p95')}, ${ratio('p99')} × normal); ${over.refused.count} refused with 503, p50 ${ms(over.refused.p50)} p99 ${ms(over.refused.p99)} ms, ${over.withoutRetryAfter} without Retry-After; ` +
    `probe ${probeServed.length} of ${overProbe.length} served, p50 ${ms(quantile(probeServed, 0.5))} p99 ${ms(quantile(probeServed, 0.99))} ms; ` +
    `event loop late by ${ms(median(late))} ms (median of p99s), memory ${ms(rss.first_quarter_rss_mb)} MB in the first quarter, ${ms(rss.last_quarter_rss_mb)} in the last, ${ms(rss.peak_rss_mb)} at most, ${ms(rssAfter)} after; ` +
    `recovered after ${ms(recovery)} ms; ${faults.length} faults${faults.map((fault) => `\n  ${fault}`).join('')}\n`,
);
process.exit(faults.length > 0 ? 1 : 0);
