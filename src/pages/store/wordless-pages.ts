import { query, sql } from '../../platform/database/sql.js';
import type { Db, Trx } from '../../platform/database/db.js';
import { textArray } from '../../platform/database/binary-values.js';
import { indexedText, indexedTitle } from './page-status.js';

/** A page whose words and path are to be stored. */
export interface WordlessPage {
  page_id: string;
  url: string;
  /** The text to index (see {@link indexedText}); null if the contents of the pages before are enough for one turn. */
  content: string | null;
  /** The title to index; see {@link indexedTitle}. */
  title: string | null;
  content_version: string;
}

/** Adds pages of one project whose words wait. */
export async function addWordlessPages(trx: Trx, projectId: string, pageIds: readonly string[], isBulk: boolean) {
  await sql`
    insert into pathmend.wordless_pages (project_id, is_bulk, page_id)
    select ${projectId}::uuid, ${isBulk}, i.page_id from unnest(${textArray(pageIds)}::text[]) as i (page_id)
    on conflict do nothing`.execute(trx);
}

/** Finds the next pages whose words wait: those that were pushed alone go first, then the oldest. */
export function findWordlessPages(db: Db, projectId: string, limit: number): Promise<string[]> {
  return query(sql<{ page_id: string }>`
    select page_id from pathmend.wordless_pages
     where project_id = ${projectId} order by is_bulk, page_id limit ${limit}`).column(db, 'page_id');
}

/**
 * Reads those of some pages that need words: a page that was indexed before is found by its former content until its
 * new vectors are there. The contents of the first `maxBytes` are read, in the order of the ids, and of one page more.
 */
export function readWordlessPages(db: Db, projectId: string, pageIds: readonly string[], maxBytes: number) {
  const ids = textArray(pageIds);
  return query(sql<WordlessPage>`
    select p.page_id, p.url, case when p.bytes_before < ${maxBytes} then ${indexedText} end as content,
           ${indexedTitle} as title, p.content_version
      from (select p.*, sum(octet_length(p.content)) over (order by array_position(${ids}::text[], p.page_id))
                          - octet_length(p.content) as bytes_before
              from pathmend.pages p
              left join pathmend.indexed_pages x on x.project_id = p.project_id and x.page_id = p.page_id
             where p.project_id = ${projectId} and p.page_id = any (${ids}::text[])
               and (x.page_id is null or (x.indexed_at is null and x.content_version < p.content_version))) as p
      join pathmend.projects j on j.project_id = p.project_id`).rows(db);
}

/** Removes pages whose words no longer wait. Returns whether pages of the project still wait. */
export async function dropWordlessPages(trx: Trx, projectId: string, pageIds: readonly string[]): Promise<boolean> {
  await sql`
    delete from pathmend.wordless_pages
     where project_id = ${projectId} and is_bulk in (true, false) and page_id = any (${textArray(pageIds)}::text[])
  `.execute(trx);
  return query(sql<{ more: boolean }>`
    select exists (select from pathmend.wordless_pages where project_id = ${projectId}) as more
  `).value(trx, 'more', false);
}
