/**
 * The load generator, a process of its own: sends one kind of request from several connections for some seconds and
 * prints one JSON line. Argument: a JSON object {url, headers, bodies, connections, seconds}; without one it is read
 * from stdin, which takes as many bodies as one likes (an argument is 128 KiB at most).
 */
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';

export interface Load {
  url: string;
  headers: Record<string, string>;
  /** Sent in turn, so that a cache can be hit or missed at will. */
  bodies: string[];
  connections: number;
  seconds: number;
  /** Whether `#` in a body stands for the number of the request, so that none is like another. */
  numbered?: boolean;
}

export interface LoadResult {
  requests: number;
  perSecond: number;
  p50: number;
  p95: number;
  p99: number;
  /** Answers that were not 2xx. */
  failed: number;
}

const load = JSON.parse(process.argv[2] ?? readFileSync(0, 'utf8')) as Load;
const agent = new Agent({ keepAlive: true, maxSockets: load.connections });
const times: number[] = [];
let failed = 0;
let next = 0;

function send(body: string): Promise<number> {
  return new Promise((done, broken) => {
    const outgoing = request(
      load.url,
      { method: 'POST', agent, headers: { ...load.headers, 'Content-Length': Buffer.byteLength(body) } },
      (answer) => {
        answer.resume();
        answer.once('end', () => {
          done(answer.statusCode ?? 0);
        });
      },
    );
    outgoing.once('error', broken);
    outgoing.end(body);
  });
}

const startedAt = performance.now();
const until = startedAt + load.seconds * 1000;
await Promise.all(
  Array.from({ length: load.connections }, async () => {
    while (performance.now() < until) {
      const number = next++;
      const pattern = load.bodies[number % load.bodies.length] ?? '';
      const body = load.numbered === true ? pattern.replaceAll('#', String(number)) : pattern;
      const sentAt = performance.now();
      const status = await send(body);
      times.push(performance.now() - sentAt);
      if (status < 200 || status > 299) failed++;
    }
  }),
);
const seconds = (performance.now() - startedAt) / 1000;
times.sort((a, b) => a - b);
const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
const result: LoadResult = {
  requests: times.length,
  perSecond: times.length / seconds,
  p50: at(0.5),
  p95: at(0.95),
  p99: at(0.99),
  failed,
};
process.stdout.write(`${JSON.stringify(result)}\n`);
process.exit();
