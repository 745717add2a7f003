import { chmodSync, cpSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { packageRoot } from '../../package-root.js';

/**
 * PostgreSQL's data folder as `initdb` leaves it, made once when the package is built: PGlite's own initdb is most of
 * the time of a first start (on a busy machine 45 s with it, 8 s laid out), and is the same every time.
 */
export function preparedFolder(): string {
  return join(packageRoot(), 'dist', 'empty-database', `pglite-${pgliteVersion()}`);
}

/** A folder that another release of PGlite made might be of another PostgreSQL. */
function pgliteVersion(): string {
  let folder = dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite'));
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version;
}

/**
 * Lays the prepared folder out where there is none yet; without one, PGlite makes its own. A start that is cut off
 * here leaves no half of a folder: the next one begins again.
 */
export function layOutPreparedFolder(target: string): void {
  const unfinished = `${target}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  if (existsSync(target) || !existsSync(preparedFolder())) return;
  cpSync(preparedFolder(), unfinished, { recursive: true });
  // PostgreSQL wants its folder to itself.
  chmodSync(unfinished, 0o700);
  renameSync(unfinished, target);
}
