import { createHash } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { keepThread, type EmbeddedWatch } from './keep-thread.js';
import { lockDataFolder, ownerOf } from './lock.js';
import { OperatorError } from '../../errors.js';
import { layOutPreparedFolder } from './prepared-folder.js';

export interface EmbeddedDatabase {
  url: string;
  stop(): Promise<void>;
}

/** Path of a Unix socket at most, less what `.s.PGSQL.5432` takes (sun_path is 108 bytes on Linux, 104 elsewhere). */
const LONGEST_SOCKET_FOLDER = 85;

const NOBODY: EmbeddedWatch = { lost: () => undefined, back: () => undefined };

/**
 * Starts the embedded PostgreSQL of a data folder and waits until it takes connections. When it dies later, it is started
 * again; `watch` hears of both.
 * @throws OperatorError when another process has the folder, or the database does not start.
 */
export async function startEmbedded(dataFolder: string, watch: EmbeddedWatch = NOBODY): Promise<EmbeddedDatabase> {
  const folder = resolve(dataFolder);
  const lock = lockDataFolder(folder);
  try {
    const sockets = socketFolder(folder);
    const path = join(sockets, '.s.PGSQL.5432');
    try {
      mkdirSync(sockets, { recursive: true, mode: 0o700 });
      // Left by a killed process: we hold the lock, so nobody listens on it.
      rmSync(path, { force: true });
      layOutPreparedFolder(join(folder, 'postgres'));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new OperatorError(`The embedded database cannot be laid out in ${folder}: ${reason}`, { cause: error });
    }
    const stopThread = await keepThread({ folder: join(folder, 'postgres'), socket: path }, path, watch);
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

/** The url of the embedded database that another process is serving from this folder, if one is. */
export function runningEmbedded(dataFolder: string): string | undefined {
  const folder = resolve(dataFolder);
  return ownerOf(folder) === undefined ? undefined : urlOf(socketFolder(folder));
}

function socketFolder(folder: string): string {
  const inside = join(folder, 'socket');
  if (Buffer.byteLength(inside) <= LONGEST_SOCKET_FOLDER) return inside;
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  return join(tmpdir(), `pathmend-${process.getuid?.() ?? 0}-${name}`);
}

function urlOf(sockets: string): string {
  return `postgres://postgres@/postgres?host=${encodeURIComponent(sockets)}`;
}
