/**
 * Memory of the processes in the long run: a `serve --role worker` that indexes pages, then a `serve --role api` under
 * searches that are cached and ones that are not, each sampled twice a second: `node .build/scripts/lab/bench/memory.js
 * [--pages 2000] [--requests 50000] [--cached 0.5]`. DATABASE_URL names a server, which these roles need.
 */
import { Command } from 'commander';
import { OperatorError } from '#src/base/errors.js';
import { generate, keepResults, rounded } from './harness.js';
import { writeManyPages } from '../../service/index-many-pages.js';
import { watchMemory, type MemoryReport } from './memory-samples.js';
import { createUnlimitedProject, runCommand, startServiceProcess } from '../../service/service-process.js';
import { throwawayDatabase } from '../../service/throwaway-database.js';

const options = new Command('memory')
  .option('--pages <n>', 'pages that the worker indexes', '2000')
  .option('--requests <n>', 'requests to the API', '50000')
  .option('--cached <share>', 'how much of the load finds its answer in the cache', '0.5')
  .option('--connections <n>', 'at once', '16')
  .parse()
  .opts<{ pages: string; requests: string; cached: string; connections: string }>();
const server = process.env['DATABASE_URL'];
if (server === undefined || server === '')
  throw new OperatorError('Set DATABASE_URL: the roles api and worker are two processes on one server.');

const DEAD_PATHS = 5_000;
const SECONDS_OF_LOAD = 10;

const database = await throwawayDatabase(server);
const environment: NodeJS.ProcessEnv = { ...process.env, DATABASE_URL: database.url };
const tell = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

async function indexPages(file: string): Promise<MemoryReport> {
  const worker = await startServiceProcess('worker', environment);
  try {
    const memory = watchMemory(worker.pid, async () => {
      const metrics = await (await fetch(`${worker.url}/metrics`)).text();
      return Number(/^pathmend_pages_indexed_total (\S+)/m.exec(metrics)?.[1] ?? 0);
    });
    await runCommand(['pages', 'import', '--project', 'memory', '--wait', file], environment);
    return await memory.stop();
  } finally {
    await worker.stop();
  }
}

/** Some of them one of fifty paths, which the cache holds; the others are never asked twice. */
function requestBodies(paths: readonly string[], from: number): string[] {
  return Array.from({ length: DEAD_PATHS }, (_, i) => {
    const path = paths[i % paths.length] ?? '/';
    const cached = (i * 0.618_034) % 1 < Number(options.cached);
    return JSON.stringify({ path: cached ? paths[i % 50] : `${path}-${from + i}` });
  });
}

async function serveRequests(
  key: string,
  paths: readonly string[],
): Promise<MemoryReport & { requests_per_second: number; failed: number }> {
  const api = await startServiceProcess('api', environment);
  let requests = 0;
  let failed = 0;
  const startedAt = performance.now();
  try {
    const memory = watchMemory(api.pid, () => Promise.resolve(requests));
    while (requests < Number(options.requests)) {
      const load = await generate({
        url: `${api.url}/v1/suggest`,
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        bodies: requestBodies(paths, requests),
        connections: Number(options.connections),
        seconds: SECONDS_OF_LOAD,
      });
      requests += load.requests;
      failed += load.failed;
      tell(`  ${requests} requests`);
    }
    const seconds = (performance.now() - startedAt) / 1000;
    return { ...(await memory.stop()), requests_per_second: rounded(requests / seconds), failed };
  } finally {
    await api.stop();
  }
}

try {
  const { file, paths, remove } = await writeManyPages(Number(options.pages), DEAD_PATHS);
  const key = await createUnlimitedProject('memory', environment);
  const worker = await indexPages(file);
  await remove();
  tell(`worker: ${worker.last_rss_mb} MB after ${options.pages} pages, ${worker.peak_rss_mb} at most`);
  const api = await serveRequests(key, paths);
  tell(`api: ${api.last_rss_mb} MB after ${api.done} requests, ${api.peak_rss_mb} at most`);
  await keepResults('memory', {
    pages: Number(options.pages),
    requests: Number(options.requests),
    cached: Number(options.cached),
    worker,
    api,
  });
} finally {
  await database.drop();
}
process.exit();
