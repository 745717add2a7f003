import { joinLookup, query, sql, type Sql } from '../../platform/database/sql.js';
import { groupBy } from '../../base/group-by.js';
import type { Db, Trx } from '../../platform/database/db.js';
import type { IndexStage } from './index-rows.js';
import { textArray } from '../../platform/database/binary-values.js';

/** The indexed text of a page `p` of a project `j`: the content, below a searched title that it does not begin with. */
export const indexedText: Sql<string> = sql`
  case when j.title_evidence and p.title <> '' and not starts_with(ltrim(p.content, E' \\n\\t\\r#'), p.title)
       then p.title || E'\\n\\n' || p.content else p.content end`;

/** The indexed title of a page `p` of a project `j`; null without one, or if the project does not search titles. */
export const indexedTitle: Sql<string | null> = sql`case when j.title_evidence then nullif(btrim(p.title), '') end`;

/** Reads from the index row of a page `p`. */
const indexed = (value: Sql): Sql => sql`
  (select ${value} from pathmend.indexed_pages x where x.project_id = p.project_id and x.page_id = p.page_id)`;
const stored = sql`
  ${indexed(sql`case when x.content_version < p.content_version then null
                     when x.indexed_at is not null then 'indexed' when x.understood then 'understood' else 'words' end`)} as stage,
  coalesce(${indexed(sql`x.indexed_at is not null`)}, false) as has_former`;

export interface ClaimedPage {
  project_id: string;
  page_id: string;
  url: string;
  /** The text to index; see {@link indexedText}. */
  content: string;
  /** The title to index; see {@link indexedTitle}. */
  title: string | null;
  content_version: string;
  /** The stage of what is stored of this content; null: nothing is. */
  stage: IndexStage | null;
  /** Whether former vectors find the page until all new ones are there. */
  has_former: boolean;
  /** The project's model; null before its first page is indexed. */
  model_id: number | null;
}

export interface PageKey {
  projectId: string;
  pageId: string;
}

/** Reads the sizes of the pages' contents, without the contents. */
export async function readContentBytes(db: Db, keys: readonly PageKey[]): Promise<(PageKey & { bytes: number })[]> {
  return query(sql<PageKey & { bytes: number }>`
    select p.project_id as "projectId", p.page_id as "pageId", octet_length(p.content) as bytes
      from pathmend.pages p
      join unnest(${keys.map((k) => k.projectId)}::uuid[], ${keys.map((k) => k.pageId)}::text[])
           as k (project_id, page_id) on p.project_id = k.project_id and p.page_id = k.page_id
     -- By this Citus asks only the workers that have them.
     where p.project_id = any (${[...new Set(keys.map((k) => k.projectId))]}::uuid[])`).rows(db);
}

/**
 * Claims pages for vectorization, and returns their content: pending pages become PROCESSING, pages with a new title
 * stay INDEXED. Skips deleted and indexed pages, whose jobs are stale. Sends a statement per project, in their order,
 * because on Citus a statement locks rows of one node only.
 */
export async function claimPages(trx: Trx, keys: readonly PageKey[]): Promise<ClaimedPage[]> {
  const sorted = [...groupBy(keys, ({ projectId }) => projectId)].sort(([a], [b]) => (a < b ? -1 : 1));
  const claim = ([projectId, ofProject]: [string, PageKey[]]): Promise<ClaimedPage[]> => {
    const pageIds = ofProject.map(({ pageId }) => pageId).sort();
    return claimOf(trx, projectId, pageIds);
  };
  return (await Promise.all(sorted.map(claim))).flat();
}

/**
 * Claims pages of one project, by ascending id. Rows are locked before their status is read, so that a job that was
 * fetched while an upsert commits sees that upsert, which may rely on this job.
 */
async function claimOf(trx: Trx, projectId: string, pageIds: readonly string[]): Promise<ClaimedPage[]> {
  const isOne = sql`r.project_id = ${projectId} and r.page_id = i.page_id`;
  const columns = ['page_id', 'status', 'content_version'];
  return query(sql<ClaimedPage>`
    with wanted as (
      select p.page_id, p.status, p.content_version
        from unnest(${textArray(pageIds)}::text[]) as i (page_id)
        ${joinLookup('pages', 'p', columns, isOne, sql`offset 0 for no key update`)}
    )
    update pathmend.pages p
       set status = case when p.status = 'INDEXED' then p.status else 'PROCESSING' end, status_at = now()
      from pathmend.projects j
     where p.project_id = ${projectId} and j.project_id = ${projectId}
       -- Not a join: the planner does not know how many pages a project has, and would read all.
       and p.page_id = any (array(
             select w.page_id from wanted w
              where w.status in ('PENDING_VECTORIZATION', 'PROCESSING')
                 -- A new title alone leaves the page INDEXED.
                 or exists (select from pathmend.indexed_pages x
                             where x.project_id = ${projectId} and x.page_id = w.page_id and w.status = 'INDEXED'
                               and x.content_version < w.content_version)))
    returning p.project_id, p.page_id, p.url, ${indexedText} as content, ${indexedTitle} as title,
              p.content_version, ${stored}, j.model_id`).rows(trx);
}

export async function markIndexed(trx: Trx, projectId: string, pageIds: readonly string[]): Promise<void> {
  await sql`
    update pathmend.pages set status = 'INDEXED', status_at = now(), error = null
     where project_id = ${projectId} and page_id = any (${textArray(pageIds)}::text[])`.execute(trx);
}

/** Marks a page after a failed attempt: PENDING_VECTORIZATION again, or ERROR with the reason after the last retry. */
export async function markFailed(
  db: Db,
  key: PageKey,
  contentVersion: string | undefined,
  final: boolean,
  reason: string,
): Promise<void> {
  await sql`
    update pathmend.pages
       set status = ${final ? 'ERROR' : 'PENDING_VECTORIZATION'}, status_at = now(), error = ${final ? reason : null}
     where project_id = ${key.projectId} and page_id = ${key.pageId} and status = 'PROCESSING'
       and (${contentVersion ?? null}::bigint is null or content_version = ${contentVersion ?? null}::bigint)
  `.execute(db);
}

/** Finds pages pending or processing for long (a lost job), or since a time to come (the clock was set back). */
export async function findStalledPages(db: Db, olderThanSeconds: number, limit: number): Promise<PageKey[]> {
  return query(sql<PageKey>`
    select project_id as "projectId", page_id as "pageId" from pathmend.pages
     where status in ('PENDING_VECTORIZATION', 'PROCESSING')
       and (status_at < now() - make_interval(secs => ${olderThanSeconds}) or status_at > now() + interval '1 minute')
     order by status_at limit ${limit}`).rows(db);
}

/** Marks one page or all pages of a project as pending; returns the ids. */
export function markPending(trx: Trx, projectId: string, pageId?: string): Promise<string[]> {
  return query(sql<{ page_id: string }>`
    with locked as (
      select project_id, page_id from pathmend.pages
       where project_id = ${projectId} ${pageId === undefined ? sql`` : sql`and page_id = ${pageId}`}
       order by page_id for no key update
    )
    update pathmend.pages p
       set status = 'PENDING_VECTORIZATION', status_at = now(), error = null, content_version = content_version + 1
      from locked l where l.project_id = p.project_id and l.page_id = p.page_id
    returning p.page_id`).column(trx, 'page_id');
}
