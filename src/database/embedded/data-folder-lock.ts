import { existsSync, linkSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { connect, createServer, type Server } from 'node:net';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { codeOf, messageOf, OperatorError } from '../../errors.js';
import { withShortPath } from './short-path.js';

/** What an owner says of itself to whoever asks; nothing, where it is too busy to answer. */
interface Owner {
  pid?: number;
  host?: string;
}

export interface DataFolderLock {
  release(): void;
}

const MAX_ANSWER_MS = 1_000;
/** Nobody listens there: the socket was left by a dead process, or is none; or there is nothing. */
const DEAD = new Set(['ECONNREFUSED', 'ENOTSOCK']);
const GONE = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG']);

/**
 * Takes the data folder for this process: PGlite itself does not notice a second process, and two writers destroy the
 * database (PGlite issues 327, 709). The lock is a Unix socket in the folder that its owner listens on: the kernel ends
 * that with the process, however it dies, and whoever can reach the folder can ask, from other containers too, whose
 * process numbers and networks are others. (Not from another machine: see docs/operations.md.)
 * @throws OperatorError when another process has it.
 */
export async function lockDataFolder(folder: string): Promise<DataFolderLock> {
  const file = join(folder, 'pathmend.lock');
  // Listened on under another name and linked into place: from its first moment on there is somebody behind the lock.
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

/** One level after the other: where /proc takes none, `recursive` of Node 20 tries again for ever. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/** The living process that holds the folder, if any. */
export async function ownerOf(folder: string): Promise<Owner | undefined> {
  const answer = await askOwner(join(folder, 'pathmend.lock'));
  return typeof answer === 'string' ? undefined : answer;
}

/**
 * Takes a lock that is free or was left by a dead owner. Only who holds the lock's own lock may remove it: between
 * another's look and removal, a third could have taken it over already.
 */
async function acquire(draft: string, file: string, folder: string): Promise<void> {
  if (tryLink(draft, file)) return;
  await refuseIfHeld(file, folder);
  const removal = `${file}.removal`;
  await acquire(draft, removal, folder);
  try {
    // One that is gone meanwhile is not removed: a third may be taking its place.
    if ((await refuseIfHeld(file, folder)) === 'dead') rmSync(file, { force: true });
  } finally {
    rmSync(removal, { force: true });
  }
  if (!tryLink(draft, file)) throw alreadyInUse(folder, (await ownerOf(folder)) ?? {});
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

/** Who listens there. Any other error (another user's socket, a busy process) counts as an owner that says nothing. */
function askOwner(path: string): Promise<Owner | 'dead' | 'gone'> {
  return withShortPath(
    path,
    (short) =>
      new Promise((tell) => {
        const socket = connect(short);
        let said = '';
        const end = (answer: Owner | 'dead' | 'gone'): void => {
          socket.destroy();
          tell(answer);
        };
        socket.setTimeout(MAX_ANSWER_MS, () => {
          end({});
        });
        socket.on('data', (chunk: Buffer) => {
          said += chunk.toString();
        });
        socket.on('end', () => {
          end(readOwner(said));
        });
        socket.on('error', (error) => {
          const code = String(codeOf(error));
          end(GONE.has(code) ? 'gone' : DEAD.has(code) ? 'dead' : {});
        });
      }),
  );
}

function readOwner(said: string): Owner {
  try {
    return JSON.parse(said) as Owner;
  } catch {
    return {};
  }
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((done, failed) => {
    server.once('error', failed);
    server.listen(path, () => {
      server.off('error', failed);
      // It holds the folder, not the process.
      server.unref();
      done();
    });
  });
}
