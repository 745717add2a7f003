/** What the benchmarks share: the load generator's process, rounds that take turns, medians, and the machine. */
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import express from 'express';
import { packageRoot } from '#src/base/package-root.js';
import type { Load, LoadResult } from './load.js';

const run = promisify(execFile);

/** Sends one kind of request for some seconds from a process of its own. */
export async function generate(load: Load): Promise<LoadResult> {
  const generator = fileURLToPath(new URL('./load.js', import.meta.url));
  const running = run(process.execPath, [generator], { maxBuffer: 1 << 26 });
  running.child.stdin?.end(JSON.stringify(load));
  return JSON.parse((await running).stdout) as LoadResult;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? (sorted[half] ?? 0) : ((sorted[half - 1] ?? 0) + (sorted[half] ?? 0)) / 2;
}

/** Figures of one contender: medians over the rounds, by name. */
export type Figures = Record<string, number>;

/**
 * Runs every contender once a round, one after the other, so that what else the machine does meets all of them alike,
 * and gives each one's medians. One round more is run first and thrown away.
 */
export async function takeTurns(
  contenders: Readonly<Record<string, () => Promise<Figures>>>,
  rounds: number,
): Promise<Record<string, Figures>> {
  const seen = new Map<string, Figures[]>();
  for (let round = 0; round <= rounds; round++) {
    for (const [name, measure] of Object.entries(contenders)) {
      const figures = await measure();
      if (round > 0) seen.set(name, [...(seen.get(name) ?? []), figures]);
    }
  }
  return Object.fromEntries(
    [...seen].map(([name, list]) => {
      const keys = Object.keys(list[0] ?? {});
      return [name, Object.fromEntries(keys.map((key) => [key, median(list.map((figures) => figures[key] ?? 0))]))];
    }),
  );
}

/** The same Express, answering one body to every POST with nothing behind it. */
export async function startBareExpress(
  answer: express.RequestHandler,
): Promise<{ url: string; server: Server; stop: () => void }> {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.post('/', answer);
  const server = createServer({ keepAliveTimeout: 65_000 }, app);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    server,
    stop: () => {
      server.close();
    },
  };
}

/** What the figures were measured on. */
export function machine(): Record<string, string | number> {
  const [cpu] = cpus();
  return {
    cpu: cpu?.model ?? 'unknown',
    cores: cpus().length,
    memory_gib: Math.round(totalmem() / 2 ** 30),
    node: process.version,
  };
}

/** Keeps a benchmark's results for docs/benchmarks.md, and prints them. */
export async function keepResults(name: string, results: object): Promise<void> {
  const folder = join(packageRoot(), 'docs', 'benchmarks');
  await mkdir(folder, { recursive: true });
  const text = `${JSON.stringify({ machine: machine(), ...results }, null, 2)}\n`;
  await writeFile(join(folder, `${name}.json`), text);
  process.stdout.write(text);
}

/** Four significant digits are more than any of these figures deserves. */
export function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
