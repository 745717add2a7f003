/** The last step of the build: `node dist/database/embedded/prepare.js` makes what first starts lay out. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { preparedFolder } from './prepared-folder.js';

const folder = preparedFolder();
if (!existsSync(folder)) {
  // Most builds find it there and need not load PostgreSQL.
  const { PGlite } = await import('@electric-sql/pglite');
  // What earlier releases of PGlite made, and what was cut off.
  rmSync(dirname(folder), { recursive: true, force: true });
  mkdirSync(dirname(folder), { recursive: true });
  const unfinished = mkdtempSync(join(dirname(folder), 'unfinished-'));
  const database = await PGlite.create({ dataDir: unfinished });
  await database.close();
  // Whoever serves may be another user than whoever built.
  chmodSync(unfinished, 0o755);
  for (const entry of readdirSync(unfinished, { withFileTypes: true, recursive: true })) {
    chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644);
  }
  renameSync(unfinished, folder);
}
// PGlite leaves handles open.
process.exit();
