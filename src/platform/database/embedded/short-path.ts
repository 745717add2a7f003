import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

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
