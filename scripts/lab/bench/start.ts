/**
 * Measures how long a cold start takes, from spawn to the first 200 of /readyz: `node .build/scripts/lab/bench/start.js
 * [--rounds 5]`. The embedded database in an empty folder and again in the same one; with DATABASE_URL also a migrated
 * database on that server. The kinds take turns. /readyz says 200 once schema, database and model have answered.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { packageRoot } from '#src/base/package-root.js';
import { freePort, throwawayDatabase } from '../../service/throwaway-database.js';
import { keepResults, readOptions, takeTurns, type Figures } from '../harness.js';

const { rounds } = readOptions({ rounds: [5, 'starts of each kind'] });
const command = join(packageRoot(), 'dist', 'cli.js');
const folder = await mkdtemp(join(tmpdir(), 'pathmend-start-'));

const isReady = (url: string): Promise<boolean> =>
  fetch(url).then(
    async (answer) => (await answer.text(), answer.ok),
    () => false,
  );

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
  // /readyz is asked every five milliseconds, from a process that does nothing else.
  while (!(await isReady(`http://127.0.0.1:${port}/readyz`))) {
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
    // The first round is thrown away: its start migrates the database.
    contenders['server'] = () => startOnce({ DATABASE_URL: database.url, DATA_DIR: join(folder, 'unused') });
  }
  await keepResults('start', { rounds, ...(await takeTurns(contenders, rounds)) });
} finally {
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
}
