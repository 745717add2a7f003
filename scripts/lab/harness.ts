/** The programs of this folder share this: options, the load generator's process, rounds that take turns, results. */
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Command } from 'commander';
import express from 'express';
import { packageRoot } from '#src/base/package-root.js';
import { median } from '#src/watch/detect.js';
import { quantile } from '../service/many-pages.js';
import type { Load, LoadResult } from './load.js';

const run = promisify(execFile);

/** Reads options of the command line, by name: the default, and what it is for. An option with a number is a number. */
export function readOptions<Described extends Record<string, readonly [number | string, string]>>(
  described: Described,
): { [Name in keyof Described]: Described[Name][0] extends number ? number : string } {
  const command = new Command();
  for (const [name, [fallback, meaning]] of Object.entries(described)) {
    const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (typeof fallback === 'number') command.option(`${flag} <n>`, meaning, Number, fallback);
    else command.option(`${flag} <text>`, meaning, fallback);
  }
  return command.parse().opts();
}

/** Runs a program in a process of its own, with a JSON value as its stdin. Returns its stdout, parsed as JSON. */
export async function runApart(program: URL, input: object): Promise<unknown> {
  const running = run(process.execPath, [fileURLToPath(program)], { maxBuffer: 1 << 26 });
  running.child.stdin?.end(JSON.stringify(input));
  return JSON.parse((await running).stdout) as unknown;
}

/** Sends one kind of request for some seconds from a process of its own. */
export async function generate(load: Load): Promise<LoadResult> {
  return (await runApart(new URL('./load.js', import.meta.url), load)) as LoadResult;
}

/** Makes the same call for some seconds in this process, `connections` at once. */
export async function callFor(
  connections: number,
  seconds: number,
  call: () => Promise<unknown>,
): Promise<Pick<LoadResult, 'requests' | 'perSecond' | 'p50' | 'p95'>> {
  const times: number[] = [];
  const from = performance.now();
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() - from < seconds * 1000) {
        const sentAt = performance.now();
        await call();
        times.push(performance.now() - sentAt);
      }
    }),
  );
  return {
    requests: times.length,
    perSecond: (times.length * 1000) / (performance.now() - from),
    p50: quantile(times, 0.5),
    p95: quantile(times, 0.95),
  };
}

export function jsonHeaders(key: string): Record<string, string> {
  return { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
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

/** Divides a figure of one contender by that of another. */
export function share(figures: Record<string, Figures>, figure: string, whose: string, of: string): number {
  return (figures[whose]?.[figure] ?? 0) / (figures[of]?.[figure] ?? 1);
}

/** Starts the service's Express with nothing behind it: it answers every POST to `/`. */
export async function startBareExpress(
  answer: express.RequestHandler,
): Promise<{ url: string; server: Server; stop: () => void }> {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.post('/', answer);
  const server = createServer({ keepAliveTimeout: 65_000 }, app);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { url, server, stop: () => void server.close() };
}

/**
 * Keeps a benchmark's results for benchmarks.md, with the machine that they were measured on, and prints them.
 * Four significant digits are more than any of these figures deserves.
 */
export async function keepResults(name: string, results: object): Promise<void> {
  const folder = join(packageRoot(), 'docs', 'evidence', 'benchmarks');
  await mkdir(folder, { recursive: true });
  const machine = {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memory_gib: Math.round(totalmem() / 2 ** 30),
    node: process.version,
  };
  const round = (_: string, value: unknown): unknown =>
    typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;
  const text = `${JSON.stringify({ machine, ...results }, round, 2)}\n`;
  await writeFile(join(folder, `${name}.json`), text);
  process.stdout.write(text);
}

export function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}
