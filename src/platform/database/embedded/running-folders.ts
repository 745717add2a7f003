import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findOwner } from './data-folder-lock.js';

/** Where servers of this user say which data folder they run, so that commands in other folders find them. */
function registry(): string {
  return join(tmpdir(), `pathmend-${process.getuid?.() ?? 0}-running`);
}

/** Whoever else made the folder could lead commands to a database of his. */
export function isOursAlone(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (!found) return false;
  return found.isDirectory() && found.uid === (process.getuid?.() ?? found.uid) && (found.mode & 0o077) === 0;
}

/** Says that this process runs the database of a data folder. @returns a function that takes it back */
export function announceFolder(folder: string): () => void {
  const file = join(registry(), createHash('sha256').update(folder).digest('hex').slice(0, 16));
  try {
    mkdirSync(registry(), { recursive: true, mode: 0o700 });
    if (!isOursAlone(registry())) return () => undefined;
    writeFileSync(file, folder, { mode: 0o600 });
  } catch {
    // A read-only system: commands need DATA_DIR there.
    return () => undefined;
  }
  return () => {
    rmSync(file, { force: true });
  };
}

/** The data folders whose database a server of this user runs now. */
export async function listRunningFolders(): Promise<string[]> {
  if (!isOursAlone(registry())) return [];
  const running: string[] = [];
  for (const name of readdirSync(registry()).sort()) {
    const file = join(registry(), name);
    const folder = readFileSync(file, 'utf8');
    // A killed server leaves its file.
    if ((await findOwner(folder)) === undefined) rmSync(file, { force: true });
    else running.push(folder);
  }
  return running;
}
