import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorError } from '../../../base/errors.js';

/**
 * Checks the folder before PGlite opens it: without `PG_VERSION`, PGlite would write an empty database over whatever is
 * there.
 * @throws OperatorError when the folder holds the remains of another database.
 */
export function checkDatabaseFolder(dataFolder: string): void {
  if (existsSync(join(dataFolder, 'PG_VERSION'))) {
    throw new OperatorError(
      `DATA_DIR ${dataFolder} is itself a folder of PostgreSQL's files. Name the folder that holds \`postgres\` and \`socket\`, or an empty one.`,
    );
  }
  const folder = join(dataFolder, 'postgres');
  if (!existsSync(folder) || existsSync(join(folder, 'PG_VERSION')) || readdirSync(folder).length === 0) return;
  throw new OperatorError(
    `The embedded database in ${folder} is damaged: there are files, but not PG_VERSION. ` +
      'Put back a whole copy of the folder from a backup, or move it away to begin with an empty database.',
  );
}
