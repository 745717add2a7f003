import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { connect } from '#src/platform/database/session/connect.js';
import { startEmbedded } from '#src/platform/database/embedded/start-embedded.js';
import { migrate } from '#src/platform/database/schema/migrate.js';
import { JOBS } from '#src/app/jobs.js';
import { sqlFolder } from '#src/platform/database/open-database.js';
import { startJobQueue } from '#src/platform/queue/queue.js';
import { createLogger } from '#src/platform/telemetry/create-logger.js';
import { packageRoot } from '#src/base/package-root.js';

let made: string | undefined;

/**
 * Lays out a data folder of the embedded database whose schema is up to date and empty. Migrating is half of a start's
 * work, and the same every time: it is done once for each state of db/ and of what reads it.
 */
export async function layOutMigrated(dataFolder: string): Promise<void> {
  made ??= join(packageRoot(), '.build', 'migrated-database', digest());
  if (!existsSync(made)) await make(made);
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  // A quarter of the time of cpSync.
  execFileSync('cp', ['-R', made, join(dataFolder, 'postgres')]);
}

function digest(): string {
  const hash = createHash('sha256');
  const root = packageRoot();
  const files = ['db', 'dist/platform/database'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true }).map((name) => join(folder, String(name))),
  );
  for (const file of [
    'package-lock.json',
    'dist/platform/queue/queue.js',
    ...files.filter((name) => /\.(?:sql|js)$/.test(name)).sort(),
  ])
    hash.update(readFileSync(join(root, file)));
  return hash.digest('hex').slice(0, 16);
}

async function make(folder: string): Promise<void> {
  mkdirSync(dirname(folder), { recursive: true });
  for (const earlier of readdirSync(dirname(folder)).filter(
    (name) => name !== basename(folder) && !name.startsWith('unfinished-'),
  ))
    rmSync(join(dirname(folder), earlier), { recursive: true });
  const unfinished = mkdtempSync(join(dirname(folder), 'unfinished-'));
  const database = await startEmbedded(unfinished);
  await migrateUrl(database.url);
  await database.stop();
  // Another process may have been first.
  if (!existsSync(folder)) renameSync(join(unfinished, 'postgres'), folder);
  rmSync(unfinished, { recursive: true });
}

/** Brings the schema of an empty database up to date, that of the job queue too. */
export async function migrateUrl(url: string): Promise<void> {
  const connection = connect({
    url,
    max: 2,
    applicationName: 'pathmend-tests',
    onIdleError: () => undefined,
  });
  const client = await connection.pool.connect();
  await migrate(client, sqlFolder());
  client.release();
  await (
    await startJobQueue({ connection, listenUrl: undefined, works: false, jobs: JOBS, logger: createLogger('error') })
  ).stop();
  await connection.close();
}
