import { query, sql } from '../../platform/database/sql.js';
import type { Db, Trx } from '../../platform/database/db.js';

export interface TombstoneOptions {
  /** The setting TOMBSTONE_DAYS; 0 keeps no tombstones. */
  days: number;
  /** The setting TOMBSTONE_CONTENT: whether contents are kept, too. */
  withContent: boolean;
}

/** Stores a tombstone before a page is deleted: its url, when it came, content hashes, vector and terms. */
export async function storeTombstone(
  trx: Trx,
  projectId: string,
  pageId: string,
  { days, withContent }: TombstoneOptions,
): Promise<void> {
  if (days === 0) return;
  await sql`
    insert into pathmend.tombstones
      (project_id, url_hash, url, path_key, title, content_hash, former_hash, content, model_id, beginning, terms,
       created_at)
    select p.project_id, p.url_hash, p.url, p.path_key, p.title, p.content_hash, p.former_hash,
           case when ${withContent}::boolean then p.content end, v.model_id, v.embedding, t.terms, p.created_at
      from pathmend.pages p
      join pathmend.projects o on o.project_id = p.project_id
      left join pathmend.chunks v
        on v.project_id = p.project_id and v.page_id = p.page_id and v.model_id = o.model_id and v.ordinal = -1
      left join pathmend.page_terms t on t.project_id = p.project_id and t.page_id = p.page_id and t.part = 0
     where p.project_id = ${projectId} and p.page_id = ${pageId}
    on conflict (project_id, url_hash) do update set
      url = excluded.url, path_key = excluded.path_key, title = excluded.title, content_hash = excluded.content_hash,
      former_hash = excluded.former_hash, content = excluded.content, model_id = excluded.model_id, beginning = excluded.beginning, terms = excluded.terms,
      created_at = excluded.created_at, deleted_at = excluded.deleted_at`.execute(trx);
}

/** Removes the tombstones of urls that are pages again. */
export async function removeTombstones(trx: Trx, projectId: string, urlHashes: readonly Buffer[]): Promise<void> {
  await sql`
    delete from pathmend.tombstones
     where project_id = ${projectId} and url_hash = any (${urlHashes}::bytea[])`.execute(trx);
}

/** Erases the tombstone of a url. Returns false if there is none. */
export async function eraseTombstone(trx: Trx, projectId: string, urlHash: Buffer): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('pathmend.tombstones')
    .where('project_id', '=', projectId)
    .where('url_hash', '=', urlHash)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Drops tombstones of pages deleted before `before`. @returns their projects, in order */
export function dropOldTombstones(db: Db, before: Date): Promise<string[]> {
  return query(sql<{ project_id: string }>`
    with dropped as (delete from pathmend.tombstones where deleted_at < ${before} returning project_id)
    select distinct project_id from dropped order by project_id`).column(db, 'project_id');
}
