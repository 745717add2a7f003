import { execFileSync } from 'node:child_process';
import pg from 'pg';
import { startServiceProcess } from '../../service/service-process.js';
import { throwawayDatabase } from '../../service/throwaway-database.js';
import { postgresProcess } from '../postgres-process.js';
import type { Target } from './target.js';

type Role = 'api' | 'worker';

/**
 * The roles api and worker as two processes on a server, which itself is killed only if a command can start it again.
 */
export async function onServer(server: string, restartDatabase: string | undefined): Promise<Target> {
  const database = await throwawayDatabase(server);
  const environment: NodeJS.ProcessEnv = { ...process.env, DATABASE_URL: database.url };
  const pool = new pg.Pool({ connectionString: database.url, max: 2 });
  pool.on('error', () => undefined);
  const running = new Map<Role, Awaited<ReturnType<typeof startServiceProcess>>>();

  const start = async (role: Role): Promise<void> => {
    running.set(role, await startServiceProcess(role, environment));
  };
  const kill = (role: Role): void => {
    const it = running.get(role);
    running.delete(role);
    if (it) process.kill(it.pid, 'SIGKILL');
  };
  const restart = async (...roles: Role[]): Promise<void> => {
    roles.forEach(kill);
    await Promise.all(roles.map(start));
  };
  const killDatabase = async (startAgain: string): Promise<void> => {
    await (await postgresProcess(database.url)).quit();
    execFileSync('bash', ['-c', startAgain], { stdio: ['ignore', 'ignore', 'inherit'] });
  };
  return {
    environment,
    start: async () => {
      await start('api');
      await start('worker');
    },
    address: () => running.get('api')?.url,
    victims: {
      api: () => restart('api'),
      worker: () => restart('worker'),
      both: () => restart('api', 'worker'),
      ...(restartDatabase === undefined ? {} : { database: () => killDatabase(restartDatabase) }),
    },
    pool: () => pool,
    end: async () => {
      await pool.end();
      kill('api');
      kill('worker');
      await database.drop();
    },
  };
}
