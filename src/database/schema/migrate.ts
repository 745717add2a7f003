import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import type pg from 'pg';
import { OperatorError } from '../../errors.js';
import { sqlState } from '../session/connect.js';
import type { Db } from '../db.js';
import { compareSchema, expectedCatalogue, isRepeatable, type Differences } from './catalogue.js';
import { checkPreconditions } from './preconditions.js';
import { readSqlFolder, repeat, type SqlFile } from './repeatables.js';

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
const PATIENCE_MS = 600_000;
/** lock_not_available, deadlock_detected */
const LOST_A_LOCK = new Set(['55P03', '40P01']);
/** unique_violation, duplicate_schema, duplicate_table: of two that begin on an empty database, one made it first. */
const ANOTHER_BEGAN = new Set(['23505', '42P06', '42P07']);

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
  if (await mayOnlyUse(client)) {
    if ((await newestMigration(client)) !== (await readSqlFolder(join(folder, 'migrations'))).length) {
      throw new OperatorError(
        'This database role may use the schema but not change it, and it is not of this release: run `migrate` as the role that owns it.',
      );
    }
    const { missing } = await compareSchema(client, folder);
    if (missing.length > 0)
      throw new OperatorError(
        `The schema is not whole. Run \`migrate\` as the role that owns it. Missing: ${listed(missing)}.`,
      );
    return { applied: [], repeated: [], warnings };
  }
  const giveUpAt = performance.now() + PATIENCE_MS;
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
      await client.query(EXTENSIONS_ALONE);
      const applied = await applyMigrations(client, await readSqlFolder(join(folder, 'migrations')));
      const { repeated, differing } = compare
        ? await makeWhole(client, folder)
        : { repeated: await repeat(client, folder, true), differing: [] };
      await client.query('commit');
      return { applied, repeated, warnings: [...warnings, ...differing] };
    } catch (error) {
      await client.query('rollback');
      if (!LOST_A_LOCK.has(sqlState(error) ?? '')) throw error;
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
    if (ANOTHER_BEGAN.has(sqlState(error) ?? '')) return false;
    throw error;
  }
}

/** Makes what changed, or is not as it should be, from its files; `differing` says what stays otherwise. */
async function makeWhole(client: pg.ClientBase, folder: string): Promise<{ repeated: string[]; differing: string[] }> {
  const before = await compareSchema(client, folder);
  const lost = before.missing.filter((object) => !isRepeatable(object));
  if (lost.length > 0) {
    throw new OperatorError(
      `The schema is not whole, and what is missing cannot be made anew: ${listed(lost)}. Nothing was changed. ` +
        'Restore the backup once more, into an empty database (docs/operations.md, Restore).',
    );
  }
  const differs = ({ missing, altered, surplus }: Differences): boolean =>
    [...missing, ...altered.filter(isRepeatable), ...surplus].length > 0;
  const repeated = await repeat(client, folder, differs(before));
  const after = repeated.length > 0 ? await compareSchema(client, folder) : before;
  if (after.missing.length > 0) throw new OperatorError(`The schema is not whole. Missing: ${listed(after.missing)}.`);
  return {
    repeated,
    differing: [
      ...after.altered.map((object) => `The schema is not as this release makes it: ${object}.`),
      ...after.surplus.map((grant) => `A role of pathmend has a right that it does not need: ${grant}.`),
    ],
  };
}

const MOST_LISTED = 20;

function listed(objects: readonly string[]): string {
  const more = objects.length - MOST_LISTED;
  return objects.slice(0, MOST_LISTED).join('; ') + (more > 0 ? `; and ${more} more` : '');
}

/**
 * True when every migration of this release is applied, and all that it asks is there, on a server that can be written
 * to: a replica answers too, and after a fail-over the address may lead to one for a while. A later release's may be
 * applied as well: it migrates while this one serves, and would take all instances out of service at once. `besides`:
 * tables that others make.
 */
export async function schemaIsCurrent(db: Db, folder: string, besides: readonly string[] = []): Promise<boolean> {
  const known = await readSqlFolder(join(folder, 'migrations'));
  const names = [...(await namesOf(folder)), ...besides];
  const { rows } = await sql<{ newest: number | null; replica: boolean; missing: boolean }>`
    select (select max(number) from pathmend.migrations) as newest, pg_is_in_recovery() as replica,
           exists (select from unnest(${names}::text[]) as asked (name)
                    where not exists (select from pg_namespace n join pg_class c on c.relnamespace = n.oid
                                       where n.nspname = split_part(name, '.', 1) and c.relname = split_part(name, '.', 2))
                      and not exists (select from pg_namespace n join pg_proc p on p.pronamespace = n.oid
                                       where n.nspname = split_part(name, '.', 1) and p.proname = split_part(name, '.', 2))) as missing`.execute(
    db,
  );
  const { newest, replica, missing } = rows[0] ?? { newest: 0, replica: true, missing: true };
  if (replica) return false;
  // What a later release has put away, this one does not ask any more.
  return (newest ?? 0) > known.length || (newest === known.length && !missing);
}

/** Tables, views and functions, without their parameters. */
async function namesOf(folder: string): Promise<string[]> {
  const objects = [...(await expectedCatalogue(folder)).keys()];
  const names = objects.flatMap((object) => /^(?:table|view|function) ([^(]+)/.exec(object)?.[1] ?? []);
  return [...new Set(names)];
}

async function newestMigration(client: pg.ClientBase): Promise<number | null> {
  const { rows } = await client.query<{ newest: number | null }>(
    'select max(number) as newest from pathmend.migrations',
  );
  return rows[0]?.newest ?? null;
}

/**
 * The search path of this transaction, and by `set search_path from current` of every function with its owner's rights:
 * where the extensions' types and operators are, and last, for it is first where it is not named, what anybody can
 * make.
 */
const EXTENSIONS_ALONE = `
select set_config('search_path', string_agg(distinct quote_ident(n.nspname), ', ') || ', pg_temp', true)
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
      throw new OperatorError(
        `Migration ${index + 1} is ${done.name} in the database but ${file.name} in this release.`,
      );
    }
    if (done) continue;
    // The row first: what clashes with another migrator should clash before any work is done.
    await client.query('insert into pathmend.migrations (number, name) values ($1, $2)', [index + 1, file.name]);
    await client.query(file.sql);
    applied.push(file.name);
  }
  return applied;
}
