import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { OperatorError } from '../../../base/errors.js';
import { sqlState } from '../session/database-errors.js';
import { createExtensions, setSearchPath, checkPreconditions } from './preconditions.js';
import { runRepeatables } from './repeatables.js';
import { limitLocks, lockTables, readSqlFolder, runStatements, type SqlFile } from './statements.js';
import { readViews } from './views.js';
import { requireComplete, repairSchema } from './catalogue.js';

export interface MigrationReport {
  applied: string[];
  /** Repeatable files (functions, views, grants) that were run. */
  repeated: string[];
  warnings: string[];
}

/** Migrators take turns by this lock. Anybody could take an advisory one; readers (a backup) do not wait for this. */
const LOCK = 'lock table pathmend.migrations in share row exclusive mode';

/**
 * A migration waits for readers of its tables (a backup reads for its whole duration), and all other statements then
 * wait behind the migration. So it gives up after this time and tries again. Running instances notice only this wait.
 */
const LOCK_TIMEOUT_MS = 1_000;
const MAX_MIGRATION_WAIT_MS = 600_000;
/** The SQLSTATEs of lock_not_available and deadlock_detected. */
const LOCK_CONFLICTS = new Set(['55P03', '40P01']);

/**
 * Whether another transaction changed a row of the catalogue first ("tuple concurrently updated", an internal error to
 * PostgreSQL). Roles are the whole server's: migrators of two databases meet at them, on Citus at each grant.
 */
function isConcurrentUpdate(error: unknown): boolean {
  return sqlState(error) === 'XX000' && error instanceof Error && error.message.includes('concurrently updated');
}

/** unique_violation, duplicate_schema, duplicate_table: another migrator began on the same empty database. */
const ALREADY_CREATED = new Set(['23505', '42P06', '42P07']);

/**
 * Creates the schema of segments too, which backups leave out, and that of pg-boss. pg-boss itself fails when several
 * processes create it at once: a session that has changed some schema and then found pgboss missing caches that result,
 * even behind the lock of pg-boss ("duplicate key value violates unique constraint pg_namespace_nspname_index").
 */
const BOOKKEEPING = `
create schema if not exists pathmend;
create schema if not exists pgboss;
create schema if not exists pathmend_segments;
create table if not exists pathmend.migrations (
  number     integer constraint migrations__pkey primary key,
  name       text not null,
  applied_at timestamptz not null default now()
);
create table if not exists pathmend.repeatables (
  name    text constraint repeatables__pkey primary key,
  sha256  text not null,
  run_at  timestamptz not null default now()
);`;

/**
 * Brings the schema up to date: missing forward-only migrations, then functions, views and grants whose text changed.
 * All of it happens in one transaction under one lock: any number of processes may start at once, and a failure leaves
 * the schema as it was. `folder` is the `db` folder of the package.
 *
 * Then this compares the objects with those of this release, since a backup may have been restored in part. Missing
 * objects that have a repeatable file are made again.
 * @param compare is false for the dump of the schema.
 * @throws OperatorError when the database cannot be used, its schema is newer, or lacks what cannot be made again.
 */
export async function migrate(
  client: pg.ClientBase,
  folder: string,
  { compare = true } = {},
): Promise<MigrationReport> {
  const warnings = await checkPreconditions(client);
  if (await isReadOnlyRole(client)) {
    if ((await newestMigration(client)) !== (await readSqlFolder(join(folder, 'migrations'))).length)
      throw new OperatorError(
        'This database role may use the schema but not change it, and it is not of this release: run `migrate` as the role that owns it.',
      );
    await requireComplete(client, folder);
    return { applied: [], repeated: [], warnings };
  }
  const giveUpAt = performance.now() + MAX_MIGRATION_WAIT_MS;
  for (;;) {
    await client.query('begin');
    try {
      if (!(await createBookkeeping(client))) {
        await client.query('rollback');
        continue;
      }
      await client.query(LOCK);
      const known = await readSqlFolder(join(folder, 'migrations'));
      const missing = await findMissing(client, known);
      await lockTables(client, missing);
      await limitLocks(client, LOCK_TIMEOUT_MS);
      await createExtensions(client);
      await setSearchPath(client);
      const views = await readViews(client, folder, await readSqlFolder(join(folder, 'views'), 'views'));
      const applied = await applyMigrations(client, missing, known.length - missing.length);
      const { repeated, differing } = compare
        ? await repairSchema(client, folder, views)
        : { repeated: await runRepeatables(client, folder, true, views), differing: [] };
      await client.query('commit');
      return { applied, repeated, warnings: [...warnings, ...differing] };
    } catch (error) {
      await client.query('rollback');
      if (!LOCK_CONFLICTS.has(sqlState(error) ?? '') && !isConcurrentUpdate(error)) throw error;
      if (performance.now() > giveUpAt)
        throw new OperatorError(
          'The schema cannot be changed: something holds its tables (a backup, a long report). Nothing was changed; try again later.',
          { cause: error },
        );
      await pause(LOCK_TIMEOUT_MS * 2);
    }
  }
}

/** Creates the tables that record migrations. Returns false when another migrator has created them meanwhile. */
async function createBookkeeping(client: pg.ClientBase): Promise<boolean> {
  try {
    await client.query(BOOKKEEPING);
    return true;
  } catch (error) {
    if (ALREADY_CREATED.has(sqlState(error) ?? '')) return false;
    throw error;
  }
}

/** Whether the role may use the schema but not change it (db/access/service.sql). */
async function isReadOnlyRole(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ only: boolean }>(
    `select coalesce(has_schema_privilege(to_regnamespace('pathmend')::oid, 'usage')
                 and not has_schema_privilege(to_regnamespace('pathmend')::oid, 'create'), false) as only`,
  );
  return rows[0]?.only ?? false;
}

/** The second migration of all versions before 1.0.0, whose migrations were numbered anew. */
const BEFORE_1_0 = '0002_projects_and_keys.sql';

/** Finds the migrations that this database does not have yet. */
async function findMissing(client: pg.ClientBase, known: readonly SqlFile[]): Promise<SqlFile[]> {
  const { rows } = await client.query<{ number: number; name: string }>(
    'select number, name from pathmend.migrations order by number',
  );
  if (rows[1]?.name === BEFORE_1_0)
    throw new OperatorError(
      'The database is of a version before 1.0.0, which cannot be upgraded. Nothing was changed. Start with an empty ' +
        'database (or another DATA_DIR), and carry pages and rules over: docs/operate/upgrade.md, "From a version before 1.0.0".',
    );
  for (const [index, { name }] of rows.slice(0, known.length).entries())
    if (name !== known[index]?.name)
      throw new OperatorError(
        `Migration ${index + 1} is ${name} in the database but ${known[index]?.name ?? ''} in this release.`,
      );
  if (rows.length > known.length)
    throw new OperatorError(
      `The database has schema version ${rows.length} (${rows.at(-1)?.name ?? ''}), newer than this release knows ` +
        `(${known.length}). Run the release that wrote it, or a later one.`,
    );
  return known.slice(rows.length);
}

/** Applies migrations after the first `done` and returns their names. */
async function applyMigrations(client: pg.ClientBase, missing: readonly SqlFile[], done: number): Promise<string[]> {
  for (const [index, { name, sql }] of missing.entries()) {
    // The row is inserted first: a conflict with another migrator shows before any work is done.
    await client.query('insert into pathmend.migrations (number, name) values ($1, $2)', [done + index + 1, name]);
    await runStatements(client, sql);
  }
  return missing.map(({ name }) => name);
}

/** The number of the newest applied migration. */
export async function newestMigration(client: pg.ClientBase): Promise<number | null> {
  const { rows } = await client.query<{ newest: number | null }>(
    'select max(number) as newest from pathmend.migrations',
  );
  return rows[0]?.newest ?? null;
}
