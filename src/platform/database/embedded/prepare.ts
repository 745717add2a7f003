/** The last step of the build: makes the empty database that a first start copies. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { preparedFolder } from './prepared-folder.js';

const folder = preparedFolder();
if (!existsSync(folder)) {
  // Most builds find the folder and need not load PostgreSQL. PostgreSQL runs once here: to compile it well takes
  // longer than the gain, 4.9 s of CPU in place of 3.4.
  setFlagsFromString('--liftoff-only');
  const { PGlite } = await import('@electric-sql/pglite');
  // This removes folders of earlier releases of PGlite and of interrupted builds.
  rmSync(dirname(folder), { recursive: true, force: true });
  mkdirSync(dirname(folder), { recursive: true });
  const unfinished = mkdtempSync(join(dirname(folder), 'unfinished-'));
  const database = await PGlite.create({ dataDir: unfinished });
  await database.close();
  // The user who runs the server may differ from the one who builds.
  chmodSync(unfinished, 0o755);
  for (const entry of readdirSync(unfinished, { withFileTypes: true, recursive: true }))
    chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644);
  renameSync(unfinished, folder);
}
// PGlite leaves handles open.
process.exit();
