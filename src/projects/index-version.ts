import { query, sql } from '../platform/database/sql.js';
import type { Db, Trx } from '../platform/database/db.js';

/**
 * Must be the last statement of a transaction that changes an index, because it locks the row until the commit. After
 * the commit the caller must tell IndexChanges (src/projects/index-changes.ts), which ends leases on the old version.
 * @param changes in the number of searchable pages, and of the vocabulary's words.
 */
export async function bumpIndexVersion(trx: Trx, projectId: string, { pages = 0, words = 0 } = {}): Promise<void> {
  await sql`
    insert into pathmend.index_versions as v (project_id, version, words, pages)
    values (${projectId}, 2, ${words}, ${pages})
    on conflict (project_id) do update
      set version = v.version + 1, words = v.words + excluded.words, pages = v.pages + excluded.pages`.execute(trx);
}

/** Does the same for many different projects. Their rows are locked in the order of ids, against deadlocks. */
export async function bumpIndexVersions(trx: Trx, projectIds: readonly string[]): Promise<void> {
  if (projectIds.length === 0) return;
  await sql`
    insert into pathmend.index_versions as v (project_id, version)
    select project_id, 2 from unnest(${projectIds}::uuid[]) as p (project_id) order by project_id
    on conflict (project_id) do update set version = v.version + 1`.execute(trx);
}

/** Counts the pages of a project that can be found, those included whose newest content waits. */
export async function countSearchablePages(db: Db, projectId: string): Promise<number> {
  return query(sql<{ pages: number }>`
    select pages::float8 as pages from pathmend.index_versions where project_id = ${projectId}`).value(db, 'pages', 0);
}

/** Counts the projects that have had a page, and the pages of them that can be found. */
export async function countIndexes(db: Db): Promise<{ projects: number; pages: number }> {
  const counts = await query(sql<{ projects: number; pages: number }>`
    select count(*)::float8 as projects, coalesce(sum(pages), 0)::float8 as pages from pathmend.index_versions
    `).first(db);
  return counts ?? { projects: 0, pages: 0 };
}

/** Reads the index version of a project; 1 if it never had a page. */
export async function readIndexVersion(db: Db, projectId: string): Promise<number> {
  const versions = db.selectFrom('pathmend.index_versions').select('version').where('project_id', '=', projectId);
  return Number((await versions.executeTakeFirst())?.version ?? 1);
}

/** Stores the share of missing paths that are gone. @returns whether it differs by more than .02, and so do answers */
export function storeGoneShare(db: Db, projectId: string, share: number | null): Promise<boolean> {
  return query(sql`
    update pathmend.index_versions set gone_share = ${share}::real, version = version + 1
     where project_id = ${projectId} and abs(coalesce(gone_share, 1 / 3.0) - coalesce(${share}::real, 1 / 3.0)) > 0.02
    returning 1`).some(db);
}
