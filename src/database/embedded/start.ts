import { createHash } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { lockDataFolder, ownerOf } from './lock.js';
import { layOutPreparedFolder } from './prepared-folder.js';
import type { ThreadData, ThreadMessage } from './thread.js';

export interface EmbeddedDatabase {
  url: string;
  /** Resolves when the database has stopped by itself, with the reason; never rejects. */
  crashed: Promise<Error>;
  stop(): Promise<void>;
}

/** Path of a Unix socket at most, less what `.s.PGSQL.5432` takes (sun_path is 108 bytes on Linux, 104 elsewhere). */
const LONGEST_SOCKET_FOLDER = 85;

/**
 * Starts the embedded PostgreSQL of a data folder and waits until it takes connections.
 * @throws OperatorError when another process has the folder.
 */
export async function startEmbedded(dataFolder: string): Promise<EmbeddedDatabase> {
  const folder = resolve(dataFolder);
  const lock = lockDataFolder(folder);
  try {
    const sockets = socketFolder(folder);
    mkdirSync(sockets, { recursive: true, mode: 0o700 });
    const path = join(sockets, '.s.PGSQL.5432');
    // Left by a killed process: we hold the lock, so nobody listens on it.
    rmSync(path, { force: true });
    layOutPreparedFolder(join(folder, 'postgres'));
    const worker = new Worker(new URL('./thread.js', import.meta.url), {
      workerData: { folder: join(folder, 'postgres'), socket: { path } } satisfies ThreadData,
    });
    const crashed = new Promise<Error>((tell) => {
      worker.once('error', (error) => {
        tell(error instanceof Error ? error : new Error(String(error)));
      });
      worker.once('exit', (code) => {
        tell(new Error(`the embedded database stopped with code ${code}`));
      });
    });
    await Promise.race([message(worker, 'listening'), crashed.then((error) => Promise.reject(error))]);
    return {
      url: urlOf(sockets),
      crashed,
      stop: async () => {
        const stopped = Promise.race([message(worker, 'stopped'), crashed]);
        worker.postMessage('stop');
        await stopped;
        await worker.terminate();
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

function message(worker: Worker, type: ThreadMessage['type']): Promise<void> {
  return new Promise((done) => {
    const listen = (sent: ThreadMessage): void => {
      if (sent.type !== type) return;
      worker.off('message', listen);
      done();
    };
    worker.on('message', listen);
  });
}
