import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { embeddedUrl } from '#src/platform/database/embedded/start-embedded.js';
import { packageRoot } from '#src/base/package-root.js';
import { startServiceProcess } from '../../service/service-process.js';
import type { Target } from './target.js';

/** Within this a start on a busy machine is done; kills of starts fall anywhere in it. */
const A_START_MS = 4_000;

/**
 * One process with the embedded database in a folder of its own below `parent`: killed while it serves, and while it
 * starts.
 */
export async function onEmbedded(next: () => number, parent = tmpdir()): Promise<Target> {
  const folder = await mkdtemp(join(parent, 'pathmend-kills-'));
  const environment: NodeJS.ProcessEnv = { ...process.env, DATA_DIR: join(folder, 'data') };
  // The url of somebody's server must not be there at all.
  delete environment['DATABASE_URL'];
  let service: Awaited<ReturnType<typeof startServiceProcess>> | undefined;
  let pool: pg.Pool | undefined;

  const start = async (): Promise<void> => {
    service = await startServiceProcess('all', environment);
  };
  const kill = (): void => {
    const it = service;
    service = undefined;
    if (it) process.kill(it.pid, 'SIGKILL');
  };
  return {
    environment,
    start,
    address: () => service?.url,
    victims: {
      service: async () => {
        kill();
        await start();
      },
      'service and its next start': async () => {
        kill();
        const child = spawn(process.execPath, [join(packageRoot(), 'dist', 'cli.js'), 'serve'], {
          env: { ...environment, PORT: '0', LOG_LEVEL: 'error' },
          stdio: 'ignore',
        });
        const exited = once(child, 'exit');
        await pause(next() * A_START_MS);
        child.kill('SIGKILL');
        await exited;
        await start();
      },
    },
    pool: () => {
      return (pool ??= new pg.Pool({ connectionString: embeddedUrl(join(folder, 'data')), max: 1 }));
    },
    end: async () => {
      await pool?.end();
      kill();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
