import { joinLookup, query, sql, type Sql } from '../../platform/database/sql.js';
import type { PageStatus } from '../../base/glossary.js';
import type { Trx } from '../../platform/database/db.js';
import { matchesTarget } from '../../rules/store/rules-of-path.js';
import {
  FIELD_NAMES,
  fieldColumns,
  haveSameFields,
  PUSHED_TYPES,
  pushedColumns,
  storedFields,
} from '../page-fields.js';
import type { pageRow } from '../check-page.js';

export type NewPage = ReturnType<typeof pageRow> & { page_id: string };

interface ExistingPage {
  url: string;
  page_id: string;
  status: PageStatus;
  same_content: boolean;
  /** Whether the content is the same, and the title, too, where titles are indexed. */
  same_text: boolean;
  same_rest: boolean;
  /** Whether 404s of the page's url were reported. */
  reported: boolean;
}

/**
 * The pages as rows `i`. `offset 0` makes PostgreSQL decode hashes before the comparison: `decode` is not leakproof, so
 * under row level security no index would be used for a condition with it.
 */
function inputs(pages: readonly object[]): Sql {
  return sql`(
      select r.url, r.page_id, r.content, ${pushedColumns('r')},
             decode(r.url_hash, 'hex') as url_hash, decode(r.path_key, 'hex') as path_key,
             decode(r.content_hash, 'hex') as content_hash
        from jsonb_to_recordset(${JSON.stringify(pages)}::jsonb)
             as r (url_hash text, url text, path_key text, page_id text, content text, content_hash text,
                   ${PUSHED_TYPES})
      offset 0) as i`;
}

/** Whether the input `i` changes what is indexed of a page `p` of a project `j`. */
const isNewText = sql`(
  p.content_hash <> i.content_hash or (j.title_evidence and i.title_given and p.title is distinct from i.title))`;

/** Whether the input `i` makes the page pending: a new title alone does not. */
const isPending = sql`(p.content_hash <> i.content_hash or p.status = 'ERROR')`;

const COMPARED = ['url', 'page_id', 'status', 'content_hash', ...FIELD_NAMES];

/** Locks the existing pages in page_id order, like every writer, and finds them by url first to know the order. */
export async function lockExistingPages(trx: Trx, projectId: string, pages: readonly NewPage[]) {
  // Contents are compared by hash.
  const compared = pages.map((page) => ({ ...page, content: undefined }));
  const isSame = sql`r.project_id = ${projectId} and r.url_hash = i.url_hash`;
  const isFound = sql`r.project_id = ${projectId} and r.page_id = i.page_id`;
  return query(sql<ExistingPage>`
    with found as materialized (
      select ${pushedColumns('i')}, i.content_hash, f.page_id
        from ${inputs(compared)} ${joinLookup('pages', 'f', ['page_id'], isSame)}
    )
    select p.url, p.page_id, p.status,
           p.content_hash = i.content_hash as same_content, not ${isNewText} as same_text,
           ${haveSameFields} as same_rest,
           exists (select from pathmend.missing_pages m
                    where m.project_id = ${projectId} and m.page_id = p.page_id) as reported
      from pathmend.projects j, (select * from found order by page_id offset 0) as i
      ${joinLookup('pages', 'p', COMPARED, isFound, sql`offset 0 for no key update`)}
     where j.project_id = ${projectId}`).rows(trx);
}

/** Inserts pages, and returns those that no other transaction just inserted. `awaited`: redirects lead to them. */
export async function insertPages(trx: Trx, projectId: string, pages: readonly NewPage[]) {
  return query(sql<{ page_id: string; url: string; awaited: boolean }>`
    with inserted as (
      insert into pathmend.pages as p
        (project_id, page_id, url, url_hash, path_key, content, content_hash, ${sql.join(FIELD_NAMES.map((name) => sql.ref(name)))}, metadata_bytes)
      select ${projectId}::uuid, i.page_id, i.url, i.url_hash, i.path_key, i.content, i.content_hash, ${fieldColumns('i')},
             octet_length(i.metadata::text)
        from ${inputs(pages)}
       order by i.page_id
      on conflict on constraint pages__url do nothing
      returning p.page_id, p.url, p.path_key
    )
    select p.page_id, p.url,
           exists (select from pathmend.rules r
                    where r.project_id = ${projectId} and ${matchesTarget(sql`p.path_key`)}) as awaited
      from inserted p`).rows(trx);
}

/** A former content is remembered from this length on: unrelated pages may share a shorter one ("Coming soon"). */
const MIN_FORMER_LENGTH = 200;

/** Updates pages that {@link lockExistingPages} has locked. New content, or a page in ERROR, waits for vectors. */
export async function updatePages(trx: Trx, projectId: string, pages: readonly NewPage[]): Promise<void> {
  await sql`
    update pathmend.pages p
       set content = i.content,
           content_hash = i.content_hash,
           former_hash = case when p.content_hash <> i.content_hash and length(p.content) >= ${MIN_FORMER_LENGTH}::int
                              then p.content_hash else p.former_hash end,
           content_version = p.content_version + ${isNewText}::int,
           ${storedFields},
           status = case when ${isPending} then 'PENDING_VECTORIZATION' else p.status end,
           status_at = case when ${isPending} then t.now else p.status_at end,
           error = case when ${isPending} then null else p.error end,
           updated_at = t.now
      -- The time as a row: Citus takes no now() in a case.
      from ${inputs(pages)}, pathmend.projects j, (select now() as now offset 0) as t
     where p.project_id = ${projectId} and p.url_hash = i.url_hash and j.project_id = p.project_id`.execute(trx);
}

/** Whether any of these pages is indexed, so that cached answers may show its title or metadata. */
export async function anyIndexed(trx: Trx, projectId: string, pageIds: readonly string[]): Promise<boolean> {
  return query(sql<{ exists: boolean }>`
    select exists (select from pathmend.indexed_pages
                    where project_id = ${projectId} and page_id = any (${pageIds})) as exists
  `).value(trx, 'exists', false);
}

export interface DeletablePage {
  page_id: string;
  url: string;
  path_key: Buffer;
}

/** Locks pages in page_id order, like every writer. */
export async function lockPagesByUrl(trx: Trx, projectId: string, urlHashes: readonly Buffer[]) {
  return query(sql<DeletablePage>`
    select page_id, url, path_key from pathmend.pages
     where project_id = ${projectId} and url_hash = any (${urlHashes}::bytea[])
     order by page_id for update`).rows(trx);
}

export function lockPageById(trx: Trx, projectId: string, pageId: string): Promise<DeletablePage | undefined> {
  return trx
    .selectFrom('pathmend.pages')
    .select(['page_id', 'url', 'path_key'])
    .where('project_id', '=', projectId)
    .where('page_id', '=', pageId)
    .forUpdate()
    .executeTakeFirst();
}

/** Whether any project has this page, to decide between 403 and 404. */
export async function pageExistsAnywhere(trx: Trx, pageId: string): Promise<boolean> {
  return query(sql<{ exists: boolean }>`select pathmend.page_exists(${pageId}) as exists`).value(trx, 'exists', false);
}

/** Deletes the row of a page. Foreign keys delete its chunks and index row, too. */
export async function deletePageRow(trx: Trx, projectId: string, pageId: string): Promise<void> {
  await trx.deleteFrom('pathmend.pages').where('project_id', '=', projectId).where('page_id', '=', pageId).execute();
  await sql`
    delete from pathmend.wordless_pages
     where project_id = ${projectId} and is_bulk in (true, false) and page_id = ${pageId}`.execute(trx);
}
