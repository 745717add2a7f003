import { createHash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { OperatorError } from '../../../base/errors.js';
import { MAX_SOCKET_PATH_BYTES } from './short-path.js';

/** What clients of PostgreSQL append to the folder. */
const SOCKET_NAME = '/.s.PGSQL.5432';

/** The folder of the socket: inside the data folder, or in the temporary folder when that path is too long. */
export function socketFolder(folder: string): string {
  const inside = join(folder, 'socket');
  if (Buffer.byteLength(inside + SOCKET_NAME) <= MAX_SOCKET_PATH_BYTES) return inside;
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  return join(tmpdir(), `pathmend-${process.getuid?.() ?? 0}-${name}`);
}

/**
 * Refuses a socket folder in the temporary folder that another user may have made. That user could read our
 * connections, or serve in our place.
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
