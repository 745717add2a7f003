import { existsSync, linkSync, lstatSync, mkdirSync, rmSync, mkdtempSync, symlinkSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { connect, createServer, type Server } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { dirname, join, basename } from 'node:path';
import { codeOf, messageOf, OperatorError } from '../../../base/errors.js';

/** The process that owns a lock answers with these facts about itself; a process that is too busy, with none. */
interface Owner {
  pid?: number;
  host?: string;
}

const MAX_ANSWER_MS = 1_000;
/** Nobody listens: a dead process left the socket, or the file is no socket. */
const DEAD_CODES = new Set(['ECONNREFUSED', 'ENOTSOCK']);
const GONE_CODES = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG']);

/**
 * Locks the data folder for this process. PGlite does not notice a second process, and two writers destroy the database
 * (PGlite issues 327, 709). The lock is a Unix socket in the folder that its owner listens on. The kernel closes it
 * with the process, however that dies, and every process that can reach the folder can connect to it, also from another
 * container with its own process numbers and network. (Another machine's cannot: docs/operate/database.md.)
 * @throws OperatorError when another process has it.
 */
export async function lockDataFolder(folder: string): Promise<{ release: () => void }> {
  const file = join(folder, 'pathmend.lock');
  // The socket is bound under another name and then linked into place: the lock has a listener from its first moment.
  const draft = `${file}.${randomUUID().slice(0, 8)}`;
  const mine = JSON.stringify({ pid: process.pid, host: hostname() } satisfies Owner);
  const server = createServer((asking) => {
    asking.on('error', () => undefined);
    asking.end(mine);
  });
  try {
    makeFolder(folder);
    await withShortPath(draft, (path) => listen(server, path));
  } catch (error) {
    const reason = messageOf(error);
    throw new OperatorError(`The data folder ${folder} cannot be made, or takes no files or Unix sockets: ${reason}`, {
      cause: error,
    });
  }
  const { ino } = lstatSync(draft);
  try {
    await acquire(draft, file, folder);
  } catch (error) {
    server.close();
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return {
    release: () => {
      if (lstatSync(file, { throwIfNoEntry: false })?.ino === ino) rmSync(file, { force: true });
      server.close();
    },
  };
}

/** Makes a folder level by level: where /proc refuses a folder, `recursive` of Node 20 tries again for ever. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/** Finds the living process that holds the folder, if there is one. */
export async function findOwner(folder: string): Promise<Owner | undefined> {
  const answer = await askOwner(join(folder, 'pathmend.lock'));
  return typeof answer === 'string' ? undefined : answer;
}

/** Takes a free or dead lock. A removal needs its own lock: a third process may take over between check and removal. */
async function acquire(draft: string, file: string, folder: string): Promise<void> {
  if (tryLink(draft, file)) return;
  await refuseIfHeld(file, folder);
  const removal = `${file}.removal`;
  await acquire(draft, removal, folder);
  try {
    // If the lock is gone by now, nothing is removed: a third process may be taking its place.
    if ((await refuseIfHeld(file, folder)) === 'dead') rmSync(file, { force: true });
  } finally {
    rmSync(removal, { force: true });
  }
  if (!tryLink(draft, file)) throw alreadyInUse(folder, (await findOwner(folder)) ?? {});
}

async function refuseIfHeld(file: string, folder: string): Promise<'dead' | 'gone'> {
  const answer = await askOwner(file);
  if (typeof answer === 'string') return answer;
  throw alreadyInUse(folder, answer);
}

function alreadyInUse(folder: string, { pid, host }: Owner): OperatorError {
  const where = host === undefined || host === hostname() ? '' : ` on ${host}`;
  return new OperatorError(
    `The data folder ${folder} is in use by another pathmend process${pid === undefined ? '' : ` (pid ${pid}${where})`}. ` +
      'Stop it first, or give this one a DATA_DIR or DATABASE_URL of its own. ' +
      'The embedded database serves one process; several instances need a PostgreSQL server.',
  );
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Asks for the owner of a lock. Any other error (another user's socket, a busy process) is an owner without answer. */
function askOwner(path: string): Promise<Owner | 'dead' | 'gone'> {
  return withShortPath(
    path,
    (short) =>
      new Promise((tell) => {
        const socket = connect(short);
        let text = '';
        const end = (answer: Owner | 'dead' | 'gone'): void => {
          socket.destroy();
          tell(answer);
        };
        socket.setTimeout(MAX_ANSWER_MS, () => end({}));
        socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
        socket.on('end', () => end(readOwner(text)));
        socket.on('error', (error) => {
          const code = String(codeOf(error));
          end(GONE_CODES.has(code) ? 'gone' : DEAD_CODES.has(code) ? 'dead' : {});
        });
      }),
  );
}

function readOwner(text: string): Owner {
  try {
    return JSON.parse(text) as Owner;
  } catch {
    return {};
  }
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((done, failed) => {
    server.once('error', failed);
    server.listen(path, () => {
      server.off('error', failed);
      // The lock does not keep the process running.
      server.unref();
      done();
    });
  });
}

/** Max bytes of the path of a Unix socket (sun_path has 108 bytes on Linux, 104 elsewhere, the last one zero). */
export const MAX_SOCKET_PATH_BYTES = 103;

/** Calls `use` with a short path to `path`, which may be too long for a socket. */
export async function withShortPath<T>(path: string, use: (path: string) => Promise<T>): Promise<T> {
  if (Buffer.byteLength(path) <= MAX_SOCKET_PATH_BYTES) return use(path);
  const shortcuts = mkdtempSync(join(tmpdir(), 'pathmend-'));
  try {
    const shortcut = join(shortcuts, 'to');
    symlinkSync(dirname(path), shortcut);
    return await use(join(shortcut, basename(path)));
  } finally {
    rmSync(shortcuts, { recursive: true });
  }
}
