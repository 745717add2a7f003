import { chmodSync, cpSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { packageRoot } from '../../../base/package-root.js';

/**
 * The data folder as `initdb` leaves it, made once by the build. The initdb of PGlite takes most of a first start (45 s
 * on a busy machine, 8 s with the copy) and gives the same result every time.
 */
export function preparedFolder(): string {
  return join(packageRoot(), 'dist', 'empty-database', `pglite-${pgliteVersion()}`);
}

/** Another release of PGlite may hold another PostgreSQL. */
function pgliteVersion(): string {
  let folder = dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite'));
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version;
}

/**
 * Copies the prepared folder to `target` unless that exists. Without a prepared folder PGlite makes its own. An
 * interrupted copy leaves no half of a folder: the next start begins again.
 */
export function layOutPreparedFolder(target: string): void {
  const unfinished = `${target}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  if (existsSync(target) || !existsSync(preparedFolder())) return;
  cpSync(preparedFolder(), unfinished, { recursive: true });
  // PostgreSQL refuses a folder that others can read.
  chmodSync(unfinished, 0o700);
  renameSync(unfinished, target);
}
