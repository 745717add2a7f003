import { OperatorError } from '#src/base/errors.js';
import type { Child } from '../service/child.js';
import { writeManyPages } from '../service/index-many-pages.js';
import { createUnlimitedProject, runCommand, startServiceProcess } from '../service/service-process.js';
import { throwawayDatabase } from '../service/throwaway-database.js';

/** DATABASE_URL, for what needs a server. */
export function neededServer(): string {
  const server = process.env['DATABASE_URL'];
  if (server === undefined || server === '') throw new OperatorError('Set DATABASE_URL to a server.');
  return server;
}

/** The service in processes of its own on a new database. */
export interface Processes {
  databaseUrl: string;
  environment: NodeJS.ProcessEnv;
  serve(role: 'all' | 'api' | 'worker', log?: 'inherit' | 'ignore'): Promise<Child & { url: string }>;
  /** A project without rate limits, with so many made pages that a process here indexes; dead paths of theirs. */
  fill(name: string, pages: number, deadPaths: number): Promise<{ key: string; paths: string[] }>;
  /** Ends all of them, and drops the database. */
  stop(): Promise<void>;
}

/** @param server without one, the embedded database in the DATA_DIR of the settings. */
export async function onNewDatabase(server: string | undefined, settings: NodeJS.ProcessEnv = {}): Promise<Processes> {
  const database = server === undefined || server === '' ? undefined : await throwawayDatabase(server);
  const environment: NodeJS.ProcessEnv = { ...process.env, ...settings, DATABASE_URL: database?.url ?? '' };
  const started: Child[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(started.map((child) => child.stop()));
    await database?.drop();
  };
  // A script that is ended leaves no server behind.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => void stop().finally(() => process.exit(1)));
  return {
    databaseUrl: database?.url ?? '',
    environment,
    serve: async (role, log) => {
      const child = await startServiceProcess(role, environment, log);
      started.push(child);
      return child;
    },
    fill: async (name, pages, deadPaths) => {
      const { file, paths, remove } = await writeManyPages(pages, deadPaths);
      const key = await createUnlimitedProject(name, environment);
      await runCommand(['pages', 'import', '--project', name, '--wait', file], environment);
      await remove();
      return { key, paths };
    },
    stop,
  };
}
