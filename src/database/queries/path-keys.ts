import { sql } from 'kysely';
import type { Trx } from '../db.js';

export interface KeylessPage {
  project_id: string;
  page_id: string;
  url: string;
}

/** Pages from before there were path keys; locked, and without those that somebody else holds. */
export async function lockPagesWithoutPathKey(trx: Trx, limit: number): Promise<KeylessPage[]> {
  const { rows } = await sql<KeylessPage>`
    select project_id, page_id, url from pathmend.pages
     where path_key is null order by project_id, page_id limit ${limit} for no key update skip locked`.execute(trx);
  return rows;
}

export async function setPathKeys(
  trx: Trx,
  pages: readonly { projectId: string; pageId: string; pathKey: Buffer }[],
): Promise<void> {
  await sql`
    update pathmend.pages p set path_key = i.path_key
      from unnest(${pages.map((p) => p.projectId)}::uuid[], ${pages.map((p) => p.pageId)}::text[], ${pages.map((p) => p.pathKey)}::bytea[])
           as i (project_id, page_id, path_key)
     where p.project_id = i.project_id and p.page_id = i.page_id`.execute(trx);
}
