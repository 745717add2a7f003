/**
 * Writes what the migrations amount to: db/schema.sql, for reading and for reviews; db/catalogue.txt, by which
 * `migrate` looks whether a database has it all; and src/platform/database/tables.ts, the types of the tables.
 *
 *   npm run db:dump              writes them
 *   npm run db:dump -- --check   says how they differ and exits with 1 when one is out of date
 *
 * The schema is read from a throwaway database: embedded, or on the server that TEST_DATABASE_URL names.
 */
import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { printCatalogue, readCatalogue } from '#src/platform/database/schema/catalogue.js';
import { migrate } from '#src/platform/database/schema/migrate.js';
import { packageRoot } from '#src/base/package-root.js';
import { sqlFolder } from '#src/platform/database/open-database.js';
import { stopContainer } from '../test/support/database.js';
import { createEmptyDatabase } from '../test/support/empty-database.js';
import { describeSchema } from './schema/describe-schema.js';
import { describeTypes } from './schema/describe-types.js';

const unknown = process.argv.slice(2).filter((argument) => argument !== '--check');
if (unknown.length > 0) {
  console.error(`dump-schema knows --check, not ${unknown.join(' ')}`);
  process.exit(2);
}
const folder = sqlFolder();
for (const [name, text] of Object.entries(await describe())) {
  const file = join(packageRoot(), name);
  const shown = relative(process.cwd(), file);
  if (!process.argv.includes('--check')) {
    await writeFile(file, text);
    console.log(`${shown} written: ${text.split('\n').length - 1} lines`);
  } else if ((await readFile(file, 'utf8').catch(() => '')) === text) {
    console.log(`${shown} is up to date`);
  } else {
    // Where there is no diff, the message alone has to do.
    spawnSync('diff', ['-u', '--label', shown, '--label', 'migrated schema', '--new-file', file, '-'], {
      input: text,
      stdio: ['pipe', 'inherit', 'inherit'],
    });
    console.error(`${shown} is out of date: run \`npm run db:dump\` and commit the result`);
    process.exitCode = 1;
  }
}
// Like the CLI: what has ended may still hold a handle.
process.exit();

async function describe(): Promise<Record<string, string>> {
  const throwaway = await createEmptyDatabase();
  try {
    const client = await throwaway.connect();
    await migrate(client, folder, { compare: false });
    const catalogue = printCatalogue(await readCatalogue(client, folder));
    return {
      'db/catalogue.txt': catalogue,
      'db/schema.sql': await describeSchema(client),
      'src/platform/database/tables.ts': await describeTypes(client),
    };
  } finally {
    await throwaway.drop();
    await stopContainer();
  }
}
