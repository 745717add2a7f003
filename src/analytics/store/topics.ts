import { sql, type Sql } from '../../platform/database/sql.js';
import type { Db, Trx } from '../../platform/database/db.js';

export interface GapPath {
  /** In hexadecimal. */
  path_hash: string;
  path: string;
  /** 404s of people that were neither redirected nor followed by a click. */
  lost: number;
  topic: string | null;
}

/**
 * A query of missing_paths (as m, with `lost`): of a project's 2,000 paths with most people those that mostly recover
 * nobody and whose best suggestion is below 0.5. As analytics.content_gaps.
 */
export function selectGaps(projectId: string): Sql {
  return sql`
    select m.*
      from (select m.*, m.suggested + m.nothing as lost
              from pathmend.missing_paths m
             where m.project_id = ${projectId} and m.people + m.unknown > 0 and m.path_hash <> ''::bytea
             order by m.people + m.unknown desc, m.path_hash limit 2000) as m
     where m.lost > (m.people + m.unknown) * 0.5 and coalesce(m.best_score, 0) < 0.5`;
}

/** The gaps of most people first. */
export async function findGapPaths(db: Db, projectId: string, limit: number): Promise<GapPath[]> {
  const { rows } = await sql<GapPath>`
    select encode(m.path_hash, 'hex') as path_hash, m.path, m.lost::float8 as lost, m.topic
      from (${selectGaps(projectId)}) as m order by m.lost desc, m.path_hash limit ${limit}`.execute(db);
  return rows;
}

/**
 * Stores the topics of paths, and forgets those of all others. Stores nothing if a path is gone meanwhile: a topic may
 * have its words.
 */
export async function storeTopics(
  trx: Trx,
  projectId: string,
  topics: readonly { path_hash: string; topic: string }[],
): Promise<void> {
  await lockNotFounds(trx, projectId);
  await sql`
    with i as materialized (
      select decode(path_hash, 'hex') as path_hash, topic
        from jsonb_to_recordset(${JSON.stringify(topics)}::jsonb) as i (path_hash text, topic text))
    update pathmend.missing_paths m set topic = i.topic
      from (select m.path_hash, i.topic
              from pathmend.missing_paths m left join i on i.path_hash = m.path_hash
             where m.project_id = ${projectId} and (i.path_hash is not null or m.topic is not null)) as i
     where m.project_id = ${projectId} and m.path_hash = i.path_hash and m.topic is distinct from i.topic
       and not exists (select from i as a where not exists (
             select from pathmend.missing_paths b where b.project_id = ${projectId} and b.path_hash = a.path_hash))`.execute(
    trx,
  );
}

/** Forgets a project's topics: they are made again from what is left. */
export async function eraseTopics(trx: Trx, projectId: string): Promise<void> {
  await lockNotFounds(trx, projectId);
  await sql`
    update pathmend.missing_paths set topic = null where project_id = ${projectId} and topic is not null`.execute(trx);
}

async function lockNotFounds(trx: Trx, projectId: string): Promise<void> {
  await sql`select pathmend.lock_rollups('not_founds', array[${projectId}::uuid])`.execute(trx);
}

/** Projects with missing paths. */
export async function findProjectsWithNotFounds(db: Db): Promise<string[]> {
  const { rows } = await sql<{ project_id: string }>`
    select r.project_id from pathmend.rollups r join pathmend.projects p on p.project_id = r.project_id
     where r.what = 'not_founds' and r.paths > 0 order by 1`.execute(db);
  return rows.map((row) => row.project_id);
}
