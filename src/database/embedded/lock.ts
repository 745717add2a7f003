import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { OperatorError } from '../../errors.js';

interface Owner {
  pid: number;
  /** When the process started, so that a pid used again by another process is not taken for the owner. */
  started: string;
}

export interface DataFolderLock {
  release(): void;
}

/**
 * Takes the data folder for this process: PGlite itself does not notice a second process, and two writers destroy
 * the database (PGlite issues 327, 709). The lock is a file with the owner's pid and start time, so that it needs no
 * clean-up after kill -9: a dead owner's file is taken over.
 * @throws OperatorError when another process has it.
 */
export function lockDataFolder(folder: string): DataFolderLock {
  const file = join(folder, 'pathmend.lock');
  const mine = JSON.stringify({ pid: process.pid, started: startOf(process.pid) ?? '' } satisfies Owner);
  // Written whole under another name and linked into place: nobody ever reads half a lock.
  const draft = `${file}.${randomUUID()}`;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(draft, mine, { mode: 0o600 });
  } catch (error) {
    // On a full disk an empty one may be left.
    if (existsSync(draft)) rmSync(draft);
    const reason = error instanceof Error ? error.message : String(error);
    throw new OperatorError(`The data folder ${folder} cannot be made or written to: ${reason}`, { cause: error });
  }
  try {
    acquire(draft, file, folder);
  } finally {
    rmSync(draft, { force: true });
  }
  return {
    release: () => {
      if (sameOwner(readOwner(file), JSON.parse(mine) as Owner)) rmSync(file, { force: true });
    },
  };
}

/** The living process that holds the folder, if any. */
export function ownerOf(folder: string): number | undefined {
  const owner = readOwner(join(folder, 'pathmend.lock'));
  return owner && isAlive(owner) ? owner.pid : undefined;
}

/**
 * Takes a lock file that is free or was left by a dead owner. Only who holds the lock's own lock may remove it:
 * between another's look and removal, a third could have taken it over already.
 */
function acquire(draft: string, file: string, folder: string): void {
  if (tryLink(draft, file)) return;
  refuseIfAlive(file, folder);
  const removal = `${file}.removal`;
  acquire(draft, removal, folder);
  try {
    refuseIfAlive(file, folder);
    rmSync(file, { force: true });
  } finally {
    rmSync(removal, { force: true });
  }
  if (!tryLink(draft, file)) throw alreadyInUse(folder, readOwner(file));
}

function refuseIfAlive(file: string, folder: string): void {
  const owner = readOwner(file);
  if (owner && isAlive(owner)) throw alreadyInUse(folder, owner);
}

function alreadyInUse(folder: string, owner: Owner | undefined): OperatorError {
  return new OperatorError(
    `The data folder ${folder} is in use by another pathmend process${owner ? ` (pid ${owner.pid})` : ''}. ` +
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

function readOwner(file: string): Owner | undefined {
  try {
    const owner = JSON.parse(readFileSync(file, 'utf8')) as Partial<Owner>;
    if (typeof owner.pid === 'number' && typeof owner.started === 'string') return owner as Owner;
  } catch {
    // Gone, or not a lock of ours: nobody's.
  }
  return undefined;
}

function sameOwner(a: Owner | undefined, b: Owner): boolean {
  return a?.pid === b.pid && a.started === b.started;
}

function isAlive(owner: Owner): boolean {
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    // EPERM: it lives, as another user.
    if (codeOf(error) !== 'EPERM') return false;
  }
  const started = startOf(owner.pid);
  return started === undefined || owner.started === '' || started === owner.started;
}

/** Boot and start time of a process in clock ticks (Linux); undefined where /proc does not tell. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the command in brackets and may hold anything; field 22 counts from behind it.
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return ticks === undefined ? undefined : `${boot}/${ticks}`;
  } catch {
    return undefined;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
