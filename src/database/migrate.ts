import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { sql } from 'kysely';
import type pg from 'pg';
import { OperatorError } from '../errors.js';
import type { Db } from './connect.js';
import { checkPreconditions } from './preconditions.js';

interface SqlFile {
  name: string;
  sql: string;
}

export interface MigrationReport {
  /** Names of the migrations that this call applied. */
  applied: string[];
  /** Repeatable files (functions, views, grants) that changed and were run again. */
  repeated: string[];
  warnings: string[];
}

/** One number for "pathmend migrates", in the space of advisory locks that the whole database shares. */
const LOCK = "select pg_advisory_xact_lock(hashtextextended('pathmend.migrate', 0))";

const BOOKKEEPING = `
create schema if not exists pathmend;
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
  await client.query('begin');
  try {
    await client.query(LOCK);
    await client.query(BOOKKEEPING);
    await createExtensions(client);
    const applied = await applyMigrations(client, await readSqlFolder(join(folder, 'migrations')));
    const repeated = await repeat(client, folder);
    await client.query('commit');
    return { applied, repeated, warnings };
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}

/**
 * True when every migration of this release, and none of a later one, is applied, on a server that can be written to:
 * a replica answers too, and after a fail-over the address may lead to one for a while.
 */
export async function schemaIsCurrent(db: Db, folder: string): Promise<boolean> {
  const known = await readSqlFolder(join(folder, 'migrations'));
  const { rows } = await sql<{ newest: number | null; replica: boolean }>`
    select max(number) as newest, pg_is_in_recovery() as replica from pathmend.migrations`.execute(db);
  return rows[0]?.newest === known.length && !rows[0].replica;
}

async function newestMigration(client: pg.ClientBase): Promise<number | null> {
  const { rows } = await client.query<{ newest: number | null }>('select max(number) as newest from pathmend.migrations');
  return rows[0]?.newest ?? null;
}

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

/** Functions and views have no history: their files are the truth, and run again when their text changes. */
async function repeat(client: pg.ClientBase, folder: string): Promise<string[]> {
  const functions = await readSqlFolder(join(folder, 'functions'), 'functions');
  const views = await readSqlFolder(join(folder, 'views'), 'views');
  // What they grant depends on the roles that are there, which an administrator may have made since.
  const roles = await pathmendRoles(client);
  const access = (await readSqlFolder(join(folder, 'access'), 'access')).map((file) => ({ ...file, sql: `${file.sql}-- ${roles}\n` }));
  const { rows } = await client.query<{ name: string; sha256: string }>('select name, sha256 from pathmend.repeatables');
  const before = new Map(rows.map((row) => [row.name, row.sha256]));
  const changed = (file: SqlFile): boolean => before.get(file.name) !== sha256(file.sql);

  const run = functions.filter(changed);
  for (const file of run) await client.query(file.sql);
  if (views.some(changed) || access.some(changed)) {
    // Views may build on each other, so they are dropped and made anew together.
    // Their names are those of files of this package.
    // eslint-disable-next-line no-restricted-syntax
    for (const view of views) await client.query(`drop view if exists analytics.${basename(view.name, '.sql')} cascade`);
    for (const file of [...views, ...access]) await client.query(file.sql);
    run.push(...views, ...access);
  }
  for (const file of run) {
    await client.query(
      `insert into pathmend.repeatables (name, sha256) values ($1, $2)
       on conflict (name) do update set sha256 = excluded.sha256, run_at = now()`,
      [file.name, sha256(file.sql)],
    );
  }
  return run.map((file) => file.name);
}

async function pathmendRoles(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<{ roles: string | null }>(
    `select string_agg(rolname, ' ' order by rolname) as roles from pg_roles where rolname in ('pathmend_analyst', 'pathmend_service', 'pathmend_tenant')`,
  );
  return rows[0]?.roles ?? 'none';
}

async function readSqlFolder(folder: string, prefix = ''): Promise<SqlFile[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name) => ({ name: prefix ? `${prefix}/${name}` : name, sql: await readFile(join(folder, name), 'utf8') })),
  );
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
