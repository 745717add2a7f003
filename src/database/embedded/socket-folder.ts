import { createHash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { OperatorError } from '../../errors.js';
import { MAX_SOCKET_PATH_BYTES } from './short-path.js';

/** What PostgreSQL's clients add to the folder. */
const IN_IT = '/.s.PGSQL.5432';

/**
 * Where the socket of a data folder lies: inside, or in the system's temporary folder where that path is too long for
 * one.
 */
export function socketFolder(folder: string): string {
  const inside = join(folder, 'socket');
  if (Buffer.byteLength(inside + IN_IT) <= MAX_SOCKET_PATH_BYTES) return inside;
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  return join(tmpdir(), `pathmend-${process.getuid?.() ?? 0}-${name}`);
}

/**
 * In the temporary folder anybody can have made ours before us, and would then be asked, or serve, in our place.
 * @throws OperatorError
 */
export function checkSocketFolder(sockets: string): void {
  if (dirname(sockets) !== tmpdir()) return;
  const found = lstatSync(sockets, { throwIfNoEntry: false });
  if (!found) return;
  const ours = found.isDirectory() && found.uid === (process.getuid?.() ?? found.uid) && (found.mode & 0o077) === 0;
  if (ours) return;
  throw new OperatorError(
    `The folder ${sockets}, which is for the embedded database's socket, is not this user's alone: another user may have made it. ` +
      'Remove it, or give DATA_DIR a path of less than 80 characters, so that the socket lies inside.',
  );
}
