import type pg from 'pg';
import { splitStatements, type SqlFile } from './statements.js';

/** First those that every request reads, in the order of db/functions/admit.sql. */
const FIRST = ['api_keys', 'projects', 'rate_buckets', 'index_versions'];

/**
 * Shorter than PostgreSQL's deadlock_timeout of a second. A request that waits for a table that is locked here, and
 * has another one that is waited for here, gets it before the server looks for a deadlock and ends the request.
 */
const MAX_LOCK_MS = 800;

/** Statements that read a table, write rows, refer to it or index it: others may go on reading. */
const MILD = /^(?:create (?!.*\btrigger\b)|comment|select|insert|update|delete)/i;
const COMMENTS = /--[^\n]*|\/\*[\s\S]*?\*\//g;

/**
 * Locks the tables that migrations change, before anything is done: later, a migration would hold some while it waits
 * for others, which a request may hold that waits for the first.
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
    // Named by the catalogue, quoted.
    // eslint-disable-next-line no-restricted-syntax
    await client.query(`lock table ${name} in ${mode} mode`);
  }
}

/** A statement of this transaction that waits longer for a lock fails. */
export async function limitLocks(client: pg.ClientBase, ms: number): Promise<void> {
  await client.query(`select set_config('lock_timeout', $1, true)`, [`${Math.max(1, Math.round(ms))}ms`]);
}

/** All words, and of the name of an index or constraint (`table__rest`) the table. */
function namesIn(statements: readonly string[]): string[] {
  const words = statements.join(' ').toLowerCase().split(/\W+/);
  return [...new Set(words.map((word) => word.split('__', 1)[0] ?? ''))];
}
