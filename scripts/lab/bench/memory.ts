/**
 * Memory of the processes in the long run: a `serve --role worker` that indexes pages, then a `serve --role api` under
 * searches that are cached and ones that are not, each sampled twice a second: `node .build/scripts/lab/bench/memory.js
 * [--pages 2000] [--requests 50000] [--cached 0.5]`. DATABASE_URL names a server, which these roles need.
 */
import { generate, jsonHeaders, keepResults, readOptions, tell } from '../harness.js';
import { watchMemory, type MemoryReport } from '../memory-samples.js';
import { neededServer, onNewDatabase } from '../processes.js';

const { pages, requests, cached, connections } = readOptions({
  pages: [2000, 'pages that the worker indexes'],
  requests: [50000, 'requests to the API'],
  cached: [0.5, 'how much of the load finds its answer in the cache'],
  connections: [16, 'at once'],
});
const DEAD_PATHS = 5_000;
const SECONDS_OF_LOAD = 10;

const processes = await onNewDatabase(neededServer());

async function indexPages(): Promise<{ memory: MemoryReport & { done: number }; key: string; paths: string[] }> {
  const worker = await processes.serve('worker');
  const memory = watchMemory(worker.pid);
  const filled = await processes.fill('memory', pages, DEAD_PATHS);
  const report = await memory.stop();
  await worker.stop();
  return { ...filled, memory: { done: pages, ...report } };
}

/** Some of them one of fifty paths, which the cache holds; the others are never asked twice. */
function requestBodies(paths: readonly string[], from: number): string[] {
  return Array.from({ length: DEAD_PATHS }, (_, i) => {
    const path = paths[i % paths.length] ?? '/';
    return JSON.stringify({ path: (i * 0.618_034) % 1 < cached ? paths[i % 50] : `${path}-${from + i}` });
  });
}

async function serveRequests(
  key: string,
  paths: readonly string[],
): Promise<MemoryReport & Record<'done' | 'requests_per_second' | 'failed', number>> {
  const api = await processes.serve('api');
  let [sent, failed] = [0, 0];
  const startedAt = performance.now();
  const memory = watchMemory(api.pid);
  while (sent < requests) {
    const load = await generate({
      url: `${api.url}/v1/suggest`,
      headers: jsonHeaders(key),
      bodies: requestBodies(paths, sent),
      connections,
      seconds: SECONDS_OF_LOAD,
    });
    sent += load.requests;
    failed += load.failed;
    tell(`  ${sent} requests`);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  return { done: sent, ...(await memory.stop()), requests_per_second: sent / seconds, failed };
}

try {
  const { memory: worker, key, paths } = await indexPages();
  tell(`worker: ${worker.last_rss_mb.toFixed(0)} MB after ${pages} pages, ${worker.peak_rss_mb.toFixed(0)} at most`);
  const api = await serveRequests(key, paths);
  tell(`api: ${api.last_rss_mb.toFixed(0)} MB after ${api.done} requests, ${api.peak_rss_mb.toFixed(0)} at most`);
  await keepResults('memory', { pages, requests, cached, worker, api });
} finally {
  await processes.stop();
}
process.exit();
