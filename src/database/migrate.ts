import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import type pg from 'pg';
import { OperatorError } from '../errors.js';
import { sqlState } from './connect.js';
import type { Db } from './db.js';
import { checkPreconditions } from './preconditions.js';
import { readSqlFolder, repeat, type SqlFile } from './repeatables.js';

export interface MigrationReport {
  /** Names of the migrations that this call applied. */
  applied: string[];
  /** Repeatable files (functions, views, grants) that changed and were run again. */
  repeated: string[];
  warnings: string[];
}

/** One number for "pathmend migrates", in the space of advisory locks that the whole database shares. */
const LOCK = "select pg_advisory_xact_lock(hashtextextended('pathmend.migrate', 0))";

/**
 * A migration waits for whoever reads its tables (a backup does for its whole time), and everybody else then waits behind
 * the migration. So it gives way after this long and begins anew; running instances notice no more than that.
 */
const LOCK_TIMEOUT_MS = 1_000;
const PATIENCE_MS = 600_000;
/** lock_not_available, deadlock_detected */
const LOST_A_LOCK = new Set(['55P03', '40P01']);

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
 * @throws OperatorError when the database cannot be used, or its schema is newer than this release.
 */
export async function migrate(client: pg.ClientBase, folder: string): Promise<MigrationReport> {
  const warnings = await checkPreconditions(client);
  if (await mayOnlyUse(client)) {
    if (await newestMigration(client) === (await readSqlFolder(join(folder, 'migrations'))).length) return { applied: [], repeated: [], warnings };
    throw new OperatorError('This database role may use the schema but not change it, and it is not of this release: run `migrate` as the role that owns it.');
  }
  const giveUpAt = performance.now() + PATIENCE_MS;
  for (;;) {
    await client.query('begin');
    try {
      await client.query(LOCK);
      await client.query(`select set_config('lock_timeout', $1, true)`, [`${LOCK_TIMEOUT_MS}ms`]);
      await client.query(BOOKKEEPING);
      await createExtensions(client);
      await client.query(EXTENSIONS_ALONE);
      const applied = await applyMigrations(client, await readSqlFolder(join(folder, 'migrations')));
      const repeated = await repeat(client, folder);
      await client.query('commit');
      return { applied, repeated, warnings };
    } catch (error) {
      await client.query('rollback');
      if (!LOST_A_LOCK.has(sqlState(error) ?? '')) throw error;
      if (performance.now() > giveUpAt) {
        throw new OperatorError('The schema cannot be changed: something holds its tables (a backup, a long report). Nothing was changed; try again later.', { cause: error });
      }
      await pause(LOCK_TIMEOUT_MS * 2);
    }
  }
}

/**
 * True when every migration of this release is applied, on a server that can be written to: a replica answers too, and after a
 * fail-over the address may lead to one for a while. A later release's may be applied as well: it migrates while this one
 * serves, and would take all instances out of service at once.
 */
export async function schemaIsCurrent(db: Db, folder: string): Promise<boolean> {
  const known = await readSqlFolder(join(folder, 'migrations'));
  const { rows } = await sql<{ newest: number | null; replica: boolean }>`
    select max(number) as newest, pg_is_in_recovery() as replica from pathmend.migrations`.execute(db);
  return (rows[0]?.newest ?? 0) >= known.length && rows[0]?.replica === false;
}

async function newestMigration(client: pg.ClientBase): Promise<number | null> {
  const { rows } = await client.query<{ newest: number | null }>('select max(number) as newest from pathmend.migrations');
  return rows[0]?.newest ?? null;
}

/**
 * The search path of this transaction, and by `set search_path from current` of every function with its owner's rights:
 * where the extensions' types and operators are, and nothing that the session's user could make.
 */
const EXTENSIONS_ALONE = `
select set_config('search_path', string_agg(distinct quote_ident(n.nspname), ', '), true)
  from pg_extension e join pg_namespace n on n.oid = e.extnamespace
 where e.extname in ('vector', 'fuzzystrmatch', 'btree_gin')`;

/** True for a role of the least privilege (db/access/service.sql): somebody else migrates. */
async function mayOnlyUse(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ only: boolean }>(
    `select coalesce(has_schema_privilege(to_regnamespace('pathmend')::oid, 'usage')
                 and not has_schema_privilege(to_regnamespace('pathmend')::oid, 'create'), false) as only`,
  );
  return rows[0]?.only ?? false;
}

async function createExtensions(client: pg.ClientBase): Promise<void> {
  try {
    await client.query('create extension if not exists vector');
    await client.query('create extension if not exists fuzzystrmatch');
    await client.query('create extension if not exists btree_gin');
  } catch (error) {
    throw new OperatorError(
      'The extensions vector, fuzzystrmatch and btree_gin could not be created with this database role: ' +
        'ask an administrator to run `create extension` for them once, or give the role `create` on the database.',
      { cause: error },
    );
  }
}

async function applyMigrations(client: pg.ClientBase, known: SqlFile[]): Promise<string[]> {
  const { rows } = await client.query<{ number: number; name: string }>(
    'select number, name from pathmend.migrations order by number',
  );
  if (rows.length > known.length) {
    throw new OperatorError(
      `The database has schema version ${rows.length} (${rows.at(-1)?.name ?? ''}), newer than this release knows ` +
        `(${known.length}). Run the release that wrote it, or a later one.`,
    );
  }
  const applied: string[] = [];
  for (const [index, file] of known.entries()) {
    const done = rows[index];
    if (done && done.name !== file.name) {
      throw new OperatorError(`Migration ${index + 1} is ${done.name} in the database but ${file.name} in this release.`);
    }
    if (done) continue;
    // The row first: what clashes with another migrator should clash before any work is done.
    await client.query('insert into pathmend.migrations (number, name) values ($1, $2)', [index + 1, file.name]);
    await client.query(file.sql);
    applied.push(file.name);
  }
  return applied;
}
