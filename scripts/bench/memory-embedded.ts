/**
 * Memory with the embedded database, the model, api and worker in one process: `node
 * .build/scripts/bench/memory-embedded.js [--pages 1000] [--settle 20]`.
 *
 * - `npm start`, as a newcomer types it, until the demo and its month of visits are written;
 * - what the image runs, with the image's environment: pages are imported, and dead paths asked for that no cache has.
 *
 * Beside the service stand npm and its shell, which live as long. `idle` is some seconds after the last of it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { Command } from 'commander';
import { packageRoot } from '#src/base/package-root.js';
import { generate, keepResults, rounded } from './harness.js';
import { writeManyPages } from './index-many-pages.js';
import { memoryOf } from './peers/child.js';
import { processesBelow } from './process-tree.js';
import { createUnlimitedProject, runCommand, startServiceProcess } from './service-process.js';

const options = new Command('memory-embedded')
  .option('--pages <n>', 'pages that are imported', '1000')
  .option('--settle <s>', 'seconds until it is idle', '20')
  .parse()
  .opts<{ pages: string; settle: string }>();

const folder = await mkdtemp(join(tmpdir(), 'pathmend-memory-'));
const own = { DATABASE_URL: '', PORT: '0', HOST: '127.0.0.1' };

async function rssOf(pid: number): Promise<number> {
  return rounded((await memoryOf(pid)).rss_mb);
}

async function idleAndPeak(pid: number): Promise<{ idle_rss_mb: number; peak_rss_mb: number }> {
  await pause(Number(options.settle) * 1_000);
  return { idle_rss_mb: await rssOf(pid), peak_rss_mb: rounded((await memoryOf(pid)).peak_rss_mb) };
}

async function npmStart(): Promise<Record<string, number>> {
  const environment = { ...process.env, ...own, DATA_DIR: join(folder, 'demo') };
  const npm = spawn('npm', ['start'], {
    cwd: packageRoot(),
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
    // A group of its own: npm does not always hand a signal on.
    detached: true,
  });
  const exited = once(npm, 'exit');
  for await (const line of createInterface({ input: npm.stdout }))
    if (line.includes('generated traffic is written')) break;
  const below = await processesBelow(npm.pid ?? 0);
  const service = below.find(({ command }) => command.includes('dist/cli.js') && !command.startsWith('sh'));
  if (!service) throw new Error('npm start ended without the service');
  const written = await rssOf(service.pid);
  const measured = { written_rss_mb: written, ...(await idleAndPeak(service.pid)) };
  const around = [npm.pid ?? 0, ...below.map(({ pid }) => pid).filter((pid) => pid !== service.pid)];
  const beside = (await Promise.all(around.map(rssOf))).reduce((a, b) => a + b, 0);
  process.kill(service.pid, 'SIGTERM');
  await exited;
  return { ...measured, npm_rss_mb: rounded(beside) };
}

/** The image's own variables, but where it listens and keeps its data. */
async function imageEnvironment(): Promise<NodeJS.ProcessEnv> {
  const file = await readFile(join(packageRoot(), 'Dockerfile'), 'utf8');
  const pairs = [...file.matchAll(/^ENV (.+)$/gm)].flatMap(([, line = '']) => line.split(' '));
  return Object.fromEntries(pairs.map((pair) => pair.split('=', 2) as [string, string]));
}

async function imageServes(): Promise<Record<string, number>> {
  const environment = {
    ...process.env,
    ...(await imageEnvironment()),
    ...own,
    DATA_DIR: join(folder, 'image'),
    SEARCH_CACHE_ENTRIES: '0',
  };
  const service = await startServiceProcess('all', environment);
  try {
    const started = await rssOf(service.pid);
    const { file, paths, remove } = await writeManyPages(Number(options.pages), 2_000);
    const key = await createUnlimitedProject('memory', environment);
    await runCommand(['pages', 'import', '--project', 'memory', '--wait', file], environment);
    await remove();
    const indexed = await rssOf(service.pid);
    const { requests, failed } = await generate({
      url: `${service.url}/v1/suggest`,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      bodies: paths.map((path) => JSON.stringify({ path })),
      connections: 16,
      seconds: 20,
    });
    const searched = await rssOf(service.pid);
    return {
      started_rss_mb: started,
      indexed_rss_mb: indexed,
      searched_rss_mb: searched,
      ...(await idleAndPeak(service.pid)),
      searches: requests,
      failed,
    };
  } finally {
    await service.stop();
  }
}

try {
  await keepResults('memory-embedded', {
    pages: Number(options.pages),
    settle_s: Number(options.settle),
    processes: { npm_start: await npmStart(), image: await imageServes() },
  });
} finally {
  await rm(folder, { recursive: true, force: true });
}
process.exit();
