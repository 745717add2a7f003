/**
 * How long a cold start takes, from spawn to the first 200 of /readyz: `node .build/scripts/lab/bench/start.js
 * [--rounds 5]`. The embedded database in an empty folder and again in the same one; with DATABASE_URL also a migrated
 * database on that server. The kinds take turns. /readyz says 200 once schema, database and model have answered.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Command } from 'commander';
import { packageRoot } from '#src/base/package-root.js';
import { keepResults, rounded, takeTurns, type Figures } from './harness.js';
import { freePort, throwawayDatabase } from '../../service/throwaway-database.js';

const options = new Command('start')
  .option('--rounds <n>', 'starts of each kind', '5')
  .parse()
  .opts<{ rounds: string }>();
const command = join(packageRoot(), 'dist', 'cli.js');
const folder = await mkdtemp(join(tmpdir(), 'pathmend-start-'));

function statusOf(url: string): Promise<number> {
  return new Promise((done) => {
    get(url, (answer) => {
      answer.resume();
      done(answer.statusCode ?? 0);
    }).once('error', () => {
      done(0);
    });
  });
}

async function startOnce(settings: NodeJS.ProcessEnv): Promise<Figures> {
  const port = await freePort();
  const spawnedAt = performance.now();
  const child = spawn(process.execPath, [command, 'serve'], {
    env: { ...process.env, ...settings, PORT: String(port), HOST: '127.0.0.1', LOG_LEVEL: 'error' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  let listening = 0;
  child.stdout.once('data', () => {
    listening = performance.now() - spawnedAt;
  });
  // Asked every five milliseconds, from a process that does nothing else.
  while ((await statusOf(`http://127.0.0.1:${port}/readyz`)) !== 200) {
    if (child.exitCode !== null) throw new Error(`the service ended with code ${child.exitCode}`);
    await pause(5);
  }
  const ready = performance.now() - spawnedAt;
  child.kill('SIGTERM');
  await exited;
  return { ready_ms: ready, listening_ms: listening === 0 ? ready : listening };
}

const contenders: Record<string, () => Promise<Figures>> = {};
const data = join(folder, 'data');
contenders['embedded_first'] = async () => {
  await rm(data, { recursive: true, force: true });
  return startOnce({ DATABASE_URL: '', DATA_DIR: data });
};
contenders['embedded_again'] = () => startOnce({ DATABASE_URL: '', DATA_DIR: data });

const server = process.env['DATABASE_URL'];
const database = server === undefined || server === '' ? undefined : await throwawayDatabase(server);
try {
  if (database) {
    // The first start of the round that is thrown away migrates it.
    contenders['server'] = () => startOnce({ DATABASE_URL: database.url, DATA_DIR: join(folder, 'unused') });
  }
  const medians = await takeTurns(contenders, Number(options.rounds));
  const kinds = Object.entries(medians).map(([kind, figures]) => [
    kind,
    Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, rounded(value)])),
  ]);
  await keepResults('start', { rounds: Number(options.rounds), ...(Object.fromEntries(kinds) as object) });
} finally {
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
}
