import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { superviseDatabase, type EmbeddedWatch } from './supervise-database.js';
import { lockDataFolder, findOwner } from './data-folder-lock.js';
import { messageOf, OperatorError } from '../../../base/errors.js';
import { checkDatabaseFolder } from './database-folder.js';
import { layOutPreparedFolder } from './prepared-folder.js';
import { checkSocketFolder, socketFolder } from './socket-folder.js';

export interface EmbeddedDatabase {
  url: string;
  stop(): Promise<void>;
}

const NO_WATCH: EmbeddedWatch = { lost: () => undefined, back: () => undefined };

/**
 * Starts the embedded PostgreSQL of a data folder and waits until it accepts connections. Restarts it when it dies;
 * `watch` receives both.
 * @throws OperatorError when another process has the folder, or the database does not start.
 */
export async function startEmbedded(dataFolder: string, watch: EmbeddedWatch = NO_WATCH): Promise<EmbeddedDatabase> {
  const folder = resolve(dataFolder);
  const lock = await lockDataFolder(folder);
  try {
    const sockets = socketFolder(folder);
    const path = join(sockets, '.s.PGSQL.5432');
    try {
      checkDatabaseFolder(folder);
      mkdirSync(sockets, { recursive: true, mode: 0o700 });
      checkSocketFolder(sockets);
      // A killed process left it. We hold the lock, so nobody listens on it.
      rmSync(path, { force: true });
      layOutPreparedFolder(join(folder, 'postgres'));
    } catch (error) {
      if (error instanceof OperatorError) throw error;
      const reason = messageOf(error);
      throw new OperatorError(`The embedded database cannot be laid out in ${folder}: ${reason}`, { cause: error });
    }
    const stopThread = await superviseDatabase({ folder: join(folder, 'postgres'), socket: path }, watch);
    return {
      url: urlOf(sockets),
      stop: async () => {
        await stopThread();
        rmSync(path, { force: true });
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** The url of the embedded database of this folder, when another process serves it. */
export async function runningEmbedded(dataFolder: string): Promise<string | undefined> {
  if ((await findOwner(resolve(dataFolder))) === undefined) return undefined;
  const sockets = socketFolder(resolve(dataFolder));
  checkSocketFolder(sockets);
  return urlOf(sockets);
}

/** The url at which the embedded database of this folder is served. */
export function embeddedUrl(dataFolder: string): string {
  return urlOf(socketFolder(resolve(dataFolder)));
}

function urlOf(sockets: string): string {
  return `postgres://postgres@/postgres?host=${encodeURIComponent(sockets)}`;
}
