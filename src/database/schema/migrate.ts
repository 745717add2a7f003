import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { OperatorError } from '../../errors.js';
import { sqlState } from '../session/connect.js';
import { applyMigrations, newestMigration } from './apply-migrations.js';
import { createExtensions, setSearchPath } from './extensions.js';
import { checkPreconditions } from './preconditions.js';
import { readSqlFolder, repeat } from './repeatables.js';
import { requireComplete, repairSchema } from './repair-schema.js';

export interface MigrationReport {
  /** Names of the migrations that this call applied. */
  applied: string[];
  /** Repeatable files (functions, views, grants) that changed and were run again. */
  repeated: string[];
  warnings: string[];
}

/**
 * Migrators take turns by a lock that only they can hold; an advisory lock would be anybody's, and keep every start
 * waiting. Those who only read the table (readiness, a backup) do not wait for it.
 */
const LOCK = 'lock table pathmend.migrations in share row exclusive mode';

/**
 * A migration waits for whoever reads its tables (a backup does for its whole time), and everybody else then waits
 * behind the migration. So it gives way after this long and begins anew; running instances notice no more than that.
 */
const LOCK_TIMEOUT_MS = 1_000;
const MAX_MIGRATION_WAIT_MS = 600_000;
/** lock_not_available, deadlock_detected */
const LOCK_CONFLICTS = new Set(['55P03', '40P01']);
/** unique_violation, duplicate_schema, duplicate_table: of two that begin on an empty database, one made it first. */
const ALREADY_CREATED = new Set(['23505', '42P06', '42P07']);

/**
 * pg-boss would make its schema itself, when several processes do so at once with an error that it does not expect: a
 * session that has changed some schema and then looked for that one in vain remembers that it is not there, even behind
 * pg-boss's lock ("duplicate key value violates unique constraint pg_namespace_nspname_index").
 */
const BOOKKEEPING = `
create schema if not exists pathmend;
create schema if not exists pgboss;
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
 * Brings the schema up to date: the forward-only migrations that are missing, then the functions, views and grants
 * whose text changed. All in one transaction under one lock, so that any number of processes may start at once and
 * a failure leaves the schema as it was. `folder` is the package's `db`.
 *
 * Then it looks whether all is there that should be, which numbers do not tell: a backup may have been restored in
 * part. What has files to be made from is made anew.
 * @param compare false: for whoever writes down what should be there.
 * @throws OperatorError when the database cannot be used, its schema is newer than this release, or something is
 * missing that cannot be made anew.
 */
export async function migrate(
  client: pg.ClientBase,
  folder: string,
  { compare = true } = {},
): Promise<MigrationReport> {
  const warnings = await checkPreconditions(client);
  if (await isReadOnlyRole(client)) {
    if ((await newestMigration(client)) !== (await readSqlFolder(join(folder, 'migrations'))).length) {
      throw new OperatorError(
        'This database role may use the schema but not change it, and it is not of this release: run `migrate` as the role that owns it.',
      );
    }
    await requireComplete(client, folder);
    return { applied: [], repeated: [], warnings };
  }
  const giveUpAt = performance.now() + MAX_MIGRATION_WAIT_MS;
  for (;;) {
    await client.query('begin');
    try {
      if (!(await begin(client))) {
        await client.query('rollback');
        continue;
      }
      await client.query(LOCK);
      await client.query(`select set_config('lock_timeout', $1, true)`, [`${LOCK_TIMEOUT_MS}ms`]);
      await createExtensions(client);
      await setSearchPath(client);
      const applied = await applyMigrations(client, await readSqlFolder(join(folder, 'migrations')));
      const { repeated, differing } = compare
        ? await repairSchema(client, folder)
        : { repeated: await repeat(client, folder, true), differing: [] };
      await client.query('commit');
      return { applied, repeated, warnings: [...warnings, ...differing] };
    } catch (error) {
      await client.query('rollback');
      if (!LOCK_CONFLICTS.has(sqlState(error) ?? '')) throw error;
      if (performance.now() > giveUpAt) {
        throw new OperatorError(
          'The schema cannot be changed: something holds its tables (a backup, a long report). Nothing was changed; try again later.',
          { cause: error },
        );
      }
      await pause(LOCK_TIMEOUT_MS * 2);
    }
  }
}

/** False: another migrator has begun on this empty database meanwhile, and is done. */
async function begin(client: pg.ClientBase): Promise<boolean> {
  try {
    await client.query(BOOKKEEPING);
    return true;
  } catch (error) {
    if (ALREADY_CREATED.has(sqlState(error) ?? '')) return false;
    throw error;
  }
}

/** True for a role of the least privilege (db/access/service.sql): somebody else migrates. */
async function isReadOnlyRole(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ only: boolean }>(
    `select coalesce(has_schema_privilege(to_regnamespace('pathmend')::oid, 'usage')
                 and not has_schema_privilege(to_regnamespace('pathmend')::oid, 'create'), false) as only`,
  );
  return rows[0]?.only ?? false;
}
