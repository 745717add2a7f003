import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { messageOf, OperatorError } from '../../../base/errors.js';
import { sqlState } from '../session/database-errors.js';

export interface SqlFile {
  name: string;
  sql: string;
}

export async function readSqlFolder(folder: string, prefix = ''): Promise<SqlFile[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name) => ({
      name: prefix ? `${prefix}/${name}` : name,
      sql: await readFile(join(folder, name), 'utf8'),
    })),
  );
}

/** A semicolon may stand in these without ending a statement: comments, texts, quoted names, bodies in dollars. */
const PART = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"[^"]*"|\$(\w*)\$[\s\S]*?\$\1\$|[^;'"$/-]+|[^;]/y;

/**
 * Runs a file of `db`, statement by statement. Citus sends a change of a distributed table to its workers as the text
 * that it came in, and refuses one with several ("cannot insert multiple commands into a prepared statement").
 */
export async function runStatements(client: pg.ClientBase, sql: string): Promise<void> {
  try {
    for (const statement of splitStatements(sql)) await client.query(statement);
  } catch (error) {
    throw explainDependents(error) ?? error;
  }
}

/** The SQLSTATEs of dependent_objects_still_exist, and of feature_not_supported for a column that a view reads. */
const IS_USED = new Set(['2BP01', '0A000']);

/** Explains that objects of others use what would change. These objects are named, and never dropped. */
function explainDependents(error: unknown): OperatorError | undefined {
  const detail = error instanceof Error && 'detail' in error && typeof error.detail === 'string' ? error.detail : '';
  if (!IS_USED.has(sqlState(error) ?? '') || !detail.includes(' depends on ')) return undefined;
  return new OperatorError(
    `The schema cannot be changed, since what others built uses it (${messageOf(error)}):\n  ${detail.replaceAll('\n', '\n  ')}\n` +
      'Nothing was changed. Keep the definitions of these (`pg_get_viewdef`, `pg_get_functiondef`) and drop them, ' +
      'run `migrate` again, then make them again.',
    { cause: error },
  );
}

/**
 * Splits a file of `db` into its statements, each with the comments before it and without its semicolon. Bodies of
 * functions stand in dollars there, never in `begin atomic`.
 */
export function splitStatements(sql: string): string[] {
  const statements: string[] = [];
  let from = 0;
  let saysSomething = false;
  const end = (at: number): void => {
    if (saysSomething) statements.push(sql.slice(from, at).trim());
    from = at + 1;
    saysSomething = false;
  };
  for (let at = 0; at < sql.length;) {
    PART.lastIndex = at;
    const part = PART.exec(sql)?.[0];
    if (part === undefined) end(at);
    else saysSomething ||= !/^(?:--|\/\*|\s+$)/.test(part);
    at += part?.length ?? 1;
  }
  end(sql.length);
  return statements;
}

/** These tables, which every request reads, are locked first, in the order of db/functions/admit.sql. */
const FIRST = ['api_keys', 'projects', 'rate_buckets', 'index_versions'];

/**
 * This is shorter than PostgreSQL's deadlock_timeout of a second. A request that waits for a table locked here may hold
 * one for which this code waits. It then gets its table before the server looks for a deadlock and ends it.
 */
const MAX_LOCK_MS = 800;

/** Matches statements that read a table, write rows, refer to it or index it: others may read the table meanwhile. */
const MILD = /^(?:create (?!.*\btrigger\b)|comment|select|insert|update|delete)/i;
const COMMENTS = /--[^\n]*|\/\*[\s\S]*?\*\//g;

/**
 * Locks the tables that migrations change, before anything is done. If a migration locked them one by one, it would
 * hold some while it waits for others, and a request may hold one of those while it waits for the first.
 */
export async function lockTables(client: pg.ClientBase, migrations: readonly SqlFile[]): Promise<void> {
  const statements = migrations.flatMap(({ sql }) => splitStatements(sql.replaceAll(COMMENTS, '')));
  const changed = namesIn(statements.filter((statement) => !MILD.test(statement)));
  const { rows } = await client.query<{ name: string; mode: string }>(
    `select format('pathmend.%I', relname) as name,
            case when relname = any ($2) then 'access exclusive' else 'share row exclusive' end as mode
       from pg_class
      where relnamespace = 'pathmend'::regnamespace and relkind in ('r', 'p') and not relispartition
        and relname = any ($1)
      order by array_position($3::text[], relname::text), oid`,
    [namesIn(statements), changed, FIRST],
  );
  const until = performance.now() + MAX_LOCK_MS;
  for (const { name, mode } of rows) {
    await limitLocks(client, until - performance.now());
    // The name comes from the catalogue, quoted.
    // eslint-disable-next-line no-restricted-syntax
    await client.query(`lock table ${name} in ${mode} mode`);
  }
}

/** Limits the wait for locks: a statement of this transaction that waits longer for one fails. */
export async function limitLocks(client: pg.ClientBase, ms: number): Promise<void> {
  await client.query(`select set_config('lock_timeout', $1, true)`, [`${Math.max(1, Math.round(ms))}ms`]);
}

/** Returns all words of the statements. For the name of an index or constraint (`table__rest`) it returns the table. */
function namesIn(statements: readonly string[]): string[] {
  const words = statements.join(' ').toLowerCase().split(/\W+/);
  return [...new Set(words.map((word) => word.split('__', 1)[0] ?? ''))];
}
