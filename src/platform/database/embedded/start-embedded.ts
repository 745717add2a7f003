import { mkdirSync, rmSync, existsSync, readdirSync, lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve, dirname } from 'node:path';
import { superviseDatabase, type EmbeddedWatch } from './supervise-database.js';
import { lockDataFolder, findOwner, MAX_SOCKET_PATH_BYTES } from './data-folder-lock.js';
import { messageOf, OperatorError } from '../../../base/errors.js';
import { layOutPreparedFolder } from './prepared-folder.js';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';

export interface EmbeddedDatabase {
  url: string;
  stop(): Promise<void>;
}

const NO_WATCH: EmbeddedWatch = { lost: () => undefined, back: () => undefined };

/**
 * Starts the embedded PostgreSQL of a data folder and waits until it accepts connections. Restarts it when it dies;
 * `watch` is notified of each death and restart.
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
      // A killed process may have left the socket. This process holds the lock, so nobody listens on that socket.
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

/** Whether a data folder has a database, or another process makes one at this moment. */
export async function hasEmbedded(dataFolder: string): Promise<boolean> {
  return existsSync(join(dataFolder, 'postgres', 'PG_VERSION')) || (await runningEmbedded(dataFolder)) !== undefined;
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

/**
 * Checks the folder before PGlite opens it: without `PG_VERSION`, PGlite writes an empty database over what is there.
 * @throws OperatorError when the folder holds the remains of another database.
 */
function checkDatabaseFolder(dataFolder: string): void {
  if (existsSync(join(dataFolder, 'PG_VERSION')))
    throw new OperatorError(
      `DATA_DIR ${dataFolder} is itself a folder of PostgreSQL's files. Name the folder that holds \`postgres\` and \`socket\`, or an empty one.`,
    );
  const folder = join(dataFolder, 'postgres');
  if (!existsSync(folder) || existsSync(join(folder, 'PG_VERSION')) || readdirSync(folder).length === 0) return;
  throw new OperatorError(
    `The embedded database in ${folder} is damaged: there are files, but not PG_VERSION. ` +
      'Put back a whole copy of the folder from a backup, or move it away to begin with an empty database.',
  );
}

/** Clients of PostgreSQL append this path to the folder of the socket. */
const SOCKET_NAME = '/.s.PGSQL.5432';

/** The folder of the socket: inside the data folder, or in the temporary folder when that path is too long. */
function socketFolder(folder: string): string {
  const inside = join(folder, 'socket');
  if (Buffer.byteLength(inside + SOCKET_NAME) <= MAX_SOCKET_PATH_BYTES) return inside;
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  return join(tmpdir(), `pathmend-${process.getuid?.() ?? 0}-${name}`);
}

/** Refuses a temporary socket folder of another user, who could read our connections. @throws OperatorError */
function checkSocketFolder(sockets: string): void {
  if (dirname(sockets) !== tmpdir()) return;
  if (!lstatSync(sockets, { throwIfNoEntry: false }) || isPrivateToUser(sockets)) return;
  throw new OperatorError(
    `The folder ${sockets}, which is for the embedded database's socket, is not this user's alone: another user may have made it. ` +
      'Remove it, or give DATA_DIR a path of less than 80 characters, so that the socket lies inside.',
  );
}

/** In this folder, servers of this user record which data folder they run, for commands in other folders. */
function registry(): string {
  return join(tmpdir(), `pathmend-${process.getuid?.() ?? 0}-running`);
}

/** Whether a folder belongs to this user alone. Another user who made it could lead commands to their own database. */
export function isPrivateToUser(folder: string): boolean {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (!stats) return false;
  return stats.isDirectory() && stats.uid === (process.getuid?.() ?? stats.uid) && (stats.mode & 0o077) === 0;
}

/** Records that this process runs the database of a data folder. @returns a function that removes the record */
export function announceFolder(folder: string): () => void {
  const file = join(registry(), createHash('sha256').update(folder).digest('hex').slice(0, 16));
  try {
    mkdirSync(registry(), { recursive: true, mode: 0o700 });
    if (!isPrivateToUser(registry())) return () => undefined;
    writeFileSync(file, folder, { mode: 0o600 });
  } catch {
    // The file system is read-only: commands need DATA_DIR there.
    return () => undefined;
  }
  return () => rmSync(file, { force: true });
}

/** Lists the data folders whose database a server of this user runs now. */
export async function listRunningFolders(): Promise<string[]> {
  if (!isPrivateToUser(registry())) return [];
  const running: string[] = [];
  for (const name of readdirSync(registry()).sort()) {
    const file = join(registry(), name);
    // A server that stops removes its file; a killed one leaves it.
    if (!existsSync(file)) continue;
    const folder = readFileSync(file, 'utf8');
    if (folder === '') continue;
    if ((await findOwner(folder)) === undefined) rmSync(file, { force: true });
    else running.push(folder);
  }
  return running;
}
