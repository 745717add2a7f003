import { query, sql, type Sql } from '../../platform/database/sql.js';
import type { Db, Trx } from '../../platform/database/db.js';

/**
 * The maximum number of missing paths that are listed, those that most people met: as many as the longest list of
 * analytics reads.
 */
const MAX_PATHS = 20_000;

/** A query of missing_paths for the paths that most people met, `limit` at most, without the row (other). */
export function mostMissed(projectId: string, limit: number): Sql {
  return sql`
    select m.* from pathmend.missing_paths m
     where m.project_id = ${projectId} and m.people + m.unknown > 0 and m.path_hash <> ''::bytea
     order by m.people + m.unknown desc, m.path_hash limit ${limit}`;
}

/** Lists the paths whose rules views and lists show. */
export function listShownPaths(db: Db, projectId: string): Promise<string[]> {
  return query(sql<{ path: string }>`
    select m.path from (${mostMissed(projectId, MAX_PATHS)}) as m
    union select b.path from pathmend.broken_links b where b.project_id = ${projectId}`).column(db, 'path');
}

const hashOf = (path: Sql): Sql => sql`sha256(convert_to(${path}, 'UTF8'))`;

/** Reads the key of a path's rule, in hexadecimal; undefined: none is stored. */
export function readPathRule(db: Db, projectId: string, path: string): Promise<string | undefined> {
  return query(sql<{ key: string }>`
    select encode(rule_key, 'hex') as key from pathmend.path_rules
     where project_id = ${projectId} and path_hash = ${hashOf(sql`${path}::text`)}`).value(db, 'key', undefined);
}

/** Stores the rules of paths, by keys in hexadecimal, in place of those that they had. */
export async function replacePathRules(
  trx: Trx,
  projectId: string,
  rules: readonly { path: string; key: string | null }[],
): Promise<void> {
  // Transactions take turns here, against deadlocks.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`path_rules ${projectId}`}, 0))`.execute(trx);
  await sql`
    with given as materialized (
      select ${hashOf(sql`i.path`)} as path_hash, decode(i.key, 'hex') as rule_key
        from jsonb_to_recordset(${JSON.stringify(rules)}::jsonb) as i (path text, key text)),
    gone as (
      delete from pathmend.path_rules c using given g
       where c.project_id = ${projectId} and c.path_hash = g.path_hash and g.rule_key is null)
    insert into pathmend.path_rules as c (project_id, path_hash, rule_key)
    select ${projectId}, g.path_hash, g.rule_key from given g where g.rule_key is not null
    on conflict (project_id, path_hash) do update set rule_key = excluded.rule_key
     where c.rule_key <> excluded.rule_key`.execute(trx);
}

/** Drops the rows of paths that are no longer stored. */
export async function dropPathRules(db: Db, projectId: string): Promise<void> {
  const isKept = (table: Sql): Sql => sql`
    exists (select from ${table} k where k.project_id = c.project_id and k.path_hash = c.path_hash)`;
  await sql`
    delete from pathmend.path_rules c
     where c.project_id = ${projectId} and c.path_hash <> ${hashOf(sql`''`)}
       and not ${isKept(sql`pathmend.missing_paths`)} and not ${isKept(sql`pathmend.broken_links`)}`.execute(db);
}
