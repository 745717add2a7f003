/**
 * What a request costs beside its floor, and how soon an upsert is searchable, on the example shop.
 * `node .build/scripts/bench/main.js [--json] [--rounds 3] [--seconds 3]`; DATABASE_URL names a server, else embedded.
 * The floor is the same Express answering the same body with nothing behind it; the two alternate round by round.
 */
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Command } from 'commander';
import express from 'express';
import { prepareDemo } from '#src/demo/run-demo.js';
import { updateProject } from '#src/database/queries/projects.js';
import { countPagesByStatus } from '#src/database/queries/pages.js';
import { setTimeout as pause } from 'node:timers/promises';
import { startThrowawayService } from '../eval/throwaway-service.js';
import type { Load, LoadResult } from './load.js';

const run = promisify(execFile);
const CONNECTIONS = 16;

async function generate(load: Load): Promise<LoadResult> {
  const { stdout } = await run(process.execPath, [fileURLToPath(new URL('./load.js', import.meta.url)), JSON.stringify(load)]);
  return JSON.parse(stdout) as LoadResult;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

async function startFloor(body: string): Promise<{ url: string; stop: () => void }> {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.post('/', (request, response) => {
    request.resume();
    response.type('json').send(body);
  });
  const server = createServer(app);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, stop: () => server.close() };
}

const options = new Command('bench')
  .option('--json', 'one JSON value on stdout')
  .option('--rounds <n>', 'rounds of each', '3')
  .option('--seconds <n>', 'seconds of each round', '3')
  .parse()
  .opts<{ json?: boolean; rounds: string; seconds: string }>();

const startedAt = performance.now();
const { service, stop } = await startThrowawayService({ ...process.env, SEARCH_CACHE_ENTRIES: '100' });
const startMs = performance.now() - startedAt;
const { deps } = service;
const indexAt = performance.now();
const { projectId, key, pages } = await prepareDemo(service);
for (;;) {
  const counts = await countPagesByStatus(deps.db, projectId);
  if (counts.PENDING_VECTORIZATION + counts.PROCESSING === 0) break;
  await pause(20);
}
const indexMs = performance.now() - indexAt;
const NO_LIMIT = { plan: 'enterprise' as const, read_rate: 1e6, read_burst: 1e6, write_rate: 1e6, write_burst: 1e6 };
await updateProject(deps.db, projectId, NO_LIMIT);
const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
const post = (path: string, body: unknown): Promise<Response> => fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body) });

/** Milliseconds from sending an upsert to the first search that finds the page. */
async function upsertToSearchable(i: number): Promise<number> {
  // Letters only: what looks like an identifier is no word of a path.
  const word = `lantern${String.fromCharCode(97 + i)}${String.fromCharCode(122 - i)}`;
  const sentAt = performance.now();
  await post('/v1/pages/upsert', { url: `https://bench.example/${word}`, content: `The ${word} is a page about ${word}.` });
  for (;;) {
    const answer = (await (await post('/v1/suggest', { path: `/${word}`, options: { searchThreshold: 0.5 } })).json()) as { suggestions: { url: string }[] };
    if (answer.suggestions[0]?.url === `/${word}`) return performance.now() - sentAt;
    await pause(5);
  }
}
const waits: number[] = [];
for (let i = 0; i < 25; i++) waits.push(await upsertToSearchable(i));
waits.sort((a, b) => a - b);

const cached = JSON.stringify({ path: '/support/shipping-times.html' });
const uncached = Array.from({ length: 1000 }, (_, i) => JSON.stringify({ path: `/support/shipping-times-${i % 7}/returns-${i}.html` }));
const questions = Array.from({ length: 1000 }, (_, i) => JSON.stringify({ query: `how long does shipping take ${i}` }));
const floor = await startFloor(await (await post('/v1/suggest', JSON.parse(cached))).text());
const kinds: Record<string, { url: string; bodies: string[] }> = {
  floor: { url: floor.url, bodies: [cached] },
  suggest_cached: { url: `${service.url}/v1/suggest`, bodies: [cached] },
  suggest_uncached: { url: `${service.url}/v1/suggest`, bodies: uncached },
  semantic_search_uncached: { url: `${service.url}/v1/semantic-search`, bodies: questions },
};
const results: Record<string, LoadResult[]> = {};
for (let round = 0; round < Number(options.rounds); round++) {
  for (const [name, { url, bodies }] of Object.entries(kinds)) {
    const result = await generate({ url, headers, bodies, connections: CONNECTIONS, seconds: Number(options.seconds) });
    (results[name] ??= []).push(result);
  }
}
const floorRate = median((results['floor'] ?? []).map((r) => r.perSecond));
const report = {
  database: service.database.isEmbedded ? 'embedded' : 'server',
  node: process.version,
  start_ms: Math.round(startMs),
  pages,
  index_ms: Math.round(indexMs),
  upsert_to_searchable_ms: { p50: Math.round(waits[12] ?? 0), p95: Math.round(waits[23] ?? 0) },
  rss_mb: Math.round(process.memoryUsage().rss / 1e6),
  load: Object.fromEntries(
    Object.entries(results).map(([name, list]) => {
      const perSecond = median(list.map((r) => r.perSecond));
      return [
        name,
        {
          per_second: Math.round(perSecond),
          of_floor: Math.round((perSecond / floorRate) * 1000) / 1000,
          p50_ms: Math.round(median(list.map((r) => r.p50)) * 100) / 100,
          p95_ms: Math.round(median(list.map((r) => r.p95)) * 100) / 100,
          failed: list.reduce((sum, r) => sum + r.failed, 0),
        },
      ];
    }),
  ),
};
process.stdout.write(options.json ? `${JSON.stringify(report)}\n` : `${JSON.stringify(report, null, 2)}\n`);
floor.stop();
await stop();
process.exit();
