import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { runFolder } from './run.js';

/** Makes a folder for the tests of the block that calls this, and removes it after them. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(runFolder(), 'folder-'));
  after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
