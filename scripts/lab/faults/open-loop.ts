/**
 * Makes the load, in a process of its own. It reads a {@link Load} from stdin and prints a {@link LoadReport}. With a
 * rate it is an open loop: requests are sent when they are due, whether or not earlier ones are answered. Without one
 * it is a closed loop: each connection sends its next request when it has the answer to the last.
 */
import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { quantile } from '../../service/many-pages.js';
import { postRequest, RawConnection } from './raw-connection.js';

export interface Load {
  url: string;
  key: string;
  /** These are sent in turn; `#` in a body stands for the number of the request, so that no cache knows it. */
  requests: { path: string; body: string }[];
  /** Undefined: a closed loop. */
  perSecond?: number;
  /** Connections that are opened before the load begins, as callers keep theirs; the open loop opens no others. */
  connections: number;
  seconds: number;
}

export interface LoadReport {
  sent: number;
  perSecond: number;
  /** Requests that were due while all connections were waiting for answers. */
  unsent: number;
  served: Times;
  refused: Times;
  /** Refusals (503) without a Retry-After of at least 1. */
  withoutRetryAfter: number;
  /** Everything else, by status; 0: no answer. */
  otherAnswers: Record<string, number>;
  /** The milliseconds by which the generator itself was late, 99th percentile: answers seem as much slower. */
  lagP99: number;
}

export interface Times {
  count: number;
  p50: number;
  p95: number;
  p99: number;
  most: number;
}

const TICK_MS = 5;
const load = JSON.parse(readFileSync(0, 'utf8')) as Load;
const lag = monitorEventLoopDelay({ resolution: 5 });
lag.enable();
const served: number[] = [];
const refused: number[] = [];
const otherAnswers: Record<string, number> = {};
let [sent, unsent, withoutRetryAfter] = [0, 0, 0];

async function sendNext(connection: RawConnection): Promise<void> {
  const { path, body } = load.requests[sent % load.requests.length] ?? { path: '/', body: '' };
  const bytes = postRequest(path, load.key, body.replaceAll('#', String(sent++)));
  const sentAt = performance.now();
  const { status, retryAfter } = await connection.send(bytes);
  const took = performance.now() - sentAt;
  if (status >= 200 && status < 300) served.push(took);
  else if (status === 503) refused.push(took);
  else otherAnswers[status] = (otherAnswers[status] ?? 0) + 1;
  if (status === 503 && !(Number(retryAfter) >= 1)) withoutRetryAfter++;
}

async function closedLoop(until: number): Promise<void> {
  await Promise.all(
    connections.map(async (connection) => {
      while (performance.now() < until && !connection.ended) await sendNext(connection);
      connection.close();
    }),
  );
}

async function openLoop(startedAt: number, until: number, perSecond: number): Promise<void> {
  const idle = [...connections];
  let [busy, due] = [0, 0];
  const begin = (connection: RawConnection): void => {
    busy++;
    void sendNext(connection).then(() => {
      busy--;
      if (!connection.ended) idle.push(connection);
    });
  };
  while (performance.now() < until) {
    for (const now = ((performance.now() - startedAt) / 1000) * perSecond; due < now; due++) {
      const connection = idle.pop();
      if (connection) begin(connection);
      else unsent++;
    }
    await pause(TICK_MS);
  }
  for (const end = performance.now() + 10_000; busy > 0 && performance.now() < end;) await pause(TICK_MS);
}

const connections = Array.from({ length: load.connections }, () => new RawConnection(load.url));
// A connection that the kernel has taken may still wait for Node: only an answer shows that Node has it.
await Promise.all(connections.map((connection) => connection.send('GET /healthz HTTP/1.1\r\nHost: overload\r\n\r\n')));
const startedAt = performance.now();
const until = startedAt + load.seconds * 1000;
await (load.perSecond === undefined ? closedLoop(until) : openLoop(startedAt, until, load.perSecond));
const seconds = (performance.now() - startedAt) / 1000;
const timesOf = (list: readonly number[]): Times => ({
  count: list.length,
  p50: quantile(list, 0.5),
  p95: quantile(list, 0.95),
  p99: quantile(list, 0.99),
  most: quantile(list, 1),
});
const report: LoadReport = {
  sent,
  perSecond: sent / seconds,
  unsent,
  served: timesOf(served),
  refused: timesOf(refused),
  withoutRetryAfter,
  otherAnswers,
  lagP99: lag.percentile(99) / 1e6,
};
process.stdout.write(`${JSON.stringify(report)}\n`);
process.exit();
