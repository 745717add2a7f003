import { sql } from '../../platform/database/sql.js';
import type { Db } from '../../platform/database/db.js';

/** Pages that a sync did not delete, because they were too many, by identifier, starting after `after`. */
export async function listHeldPages(
  db: Db,
  projectId: string,
  after: string,
  limit: number,
): Promise<{ page_id: string; url_hash: Buffer }[]> {
  const { rows } = await sql<{ page_id: string; url_hash: Buffer }>`
    select h.page_id, p.url_hash
      from pathmend.held_pages h
      join pathmend.pages p on p.project_id = h.project_id and p.page_id = h.page_id
     where h.project_id = ${projectId} and h.page_id > ${after}
     order by h.page_id limit ${limit}`.execute(db);
  return rows;
}

/** Those that are still there. */
export async function holdPages(db: Db, projectId: string, pageIds: readonly string[]): Promise<void> {
  await sql`
    insert into pathmend.held_pages (project_id, page_id)
    select project_id, page_id from pathmend.pages
     where project_id = ${projectId} and page_id = any(${pageIds}::text[])
     order by page_id
       for key share
    on conflict do nothing`.execute(db);
}

export async function releasePages(db: Db, projectId: string, pageIds: readonly string[]): Promise<void> {
  await sql`
    delete from pathmend.held_pages
     where project_id = ${projectId} and page_id = any(${pageIds}::text[])`.execute(db);
}
