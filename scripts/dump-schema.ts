/**
 * Writes db/schema.sql: what the migrations amount to, for reading and for reviews.
 *
 *   npm run db:dump              writes it
 *   npm run db:dump -- --check   says how it differs and exits with 1 when it is out of date
 *
 * The schema is read from a throwaway database: embedded, or on the server that TEST_DATABASE_URL names.
 */
import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { parseConfig } from '#src/config.js';
import { openDatabase, sqlFolder } from '#src/database/open.js';
import { createTestDatabase, stopContainer } from '../test/support/database.js';
import { describeSchema } from './schema/describe-schema.js';

const unknown = process.argv.slice(2).filter((argument) => argument !== '--check');
if (unknown.length > 0) {
  console.error(`dump-schema knows --check, not ${unknown.join(' ')}`);
  process.exit(2);
}
const file = join(sqlFolder(), 'schema.sql');
const shown = relative(process.cwd(), file);
const text = await readMigratedSchema();

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
// Like the CLI: what has ended may still hold a handle.
process.exit();

async function readMigratedSchema(): Promise<string> {
  const throwaway = await createTestDatabase();
  try {
    const database = await openDatabase(parseConfig(throwaway.environment), {
      besideServer: false,
      applicationName: 'pathmend-dump-schema',
      onIdleError: () => undefined,
    });
    try {
      const client = await database.connection.pool.connect();
      try {
        return await describeSchema(client);
      } finally {
        client.release();
      }
    } finally {
      await database.close();
    }
  } finally {
    await throwaway.drop();
    await stopContainer();
  }
}
