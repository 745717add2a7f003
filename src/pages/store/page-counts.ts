import { sql } from '../../platform/database/sql.js';
import { PAGE_STATUSES, type PageStatus } from '../../base/glossary.js';
import type { Db } from '../../platform/database/db.js';
import { listedColumns, type PageSummary } from './page-listing.js';
import { countSearchablePages } from '../../projects/index-version.js';

const UNINDEXED = PAGE_STATUSES.filter((status) => status !== 'INDEXED');

export interface IndexState {
  /** Those included whose newest content waits. */
  searchable: number;
  waiting: number;
  failed: number;
}

/** How many pages have each status: a look-up of the index for each, where grouping would read the table. */
export async function countPagesByStatus(
  db: Db,
  projectId: string,
  statuses = PAGE_STATUSES,
): Promise<Record<PageStatus, number>> {
  const { rows } = await sql<{ status: PageStatus; pages: number }>`
    select s.status, c.pages
      from unnest(${statuses}::text[]) as s (status)
     cross join lateral (select count(*)::int as pages from pathmend.pages p
                          where p.project_id = ${projectId} and p.status = s.status) as c`.execute(db);
  const counts: Record<PageStatus, number> = { INDEXED: 0, PENDING_VECTORIZATION: 0, PROCESSING: 0, ERROR: 0 };
  for (const row of rows) counts[row.status] = row.pages;
  return counts;
}

/** A project's pages as they can be found: without a count of those whose newest content is indexed. */
export async function readIndexState(db: Db, projectId: string): Promise<IndexState> {
  const [searchable, counts] = await Promise.all([
    countSearchablePages(db, projectId),
    countPagesByStatus(db, projectId, UNINDEXED),
  ]);
  return { searchable, waiting: counts.PENDING_VECTORIZATION + counts.PROCESSING, failed: counts.ERROR };
}

/** Counts the pages whose newest content is not indexed yet, without counting all others. */
export async function countWaitingPages(db: Db, projectId: string): Promise<number> {
  const { rows } = await sql<{ pages: number }>`
    select count(*)::int as pages from pathmend.pages
     where project_id = ${projectId} and status in ('PENDING_VECTORIZATION', 'PROCESSING')`.execute(db);
  return rows[0]?.pages ?? 0;
}

/** How many pages were indexed a minute in the last two, by the latest thousand of them; 0: none was. */
export async function readPagesPerMinute(db: Db, projectId: string): Promise<number> {
  const { rows } = await sql<{ pages: number; minutes: number }>`
    select count(*)::int as pages, coalesce(extract(epoch from now() - min(indexed_at)) / 60, 0)::float8 as minutes
      from (select indexed_at from pathmend.indexed_pages
             where project_id = ${projectId} order by arrival desc limit 1000) as latest
     where indexed_at > now() - interval '2 minutes'`.execute(db);
  const { pages = 0, minutes = 0 } = rows[0] ?? {};
  // A few seconds say nothing of a minute.
  return minutes < 1 / 20 ? 0 : Math.round(pages / minutes);
}

export interface ListedPage extends Omit<PageSummary, 'indexed_at'> {
  /** The first 404 of its url since it was last pushed; null if there was none. */
  reported_missing_at: Date | null;
  /** Since when it is not suggested for other paths, because 404s were reported; null if it is. */
  not_suggested_since: Date | null;
}

interface PageFilter {
  status?: PageStatus | undefined;
  reportedMissing?: boolean | undefined;
}

/**
 * Ordered by page_id, starting after `after`: the order of an index. By url, each part of a million pages sorted them
 * all, and an index of urls would cost every push, for an order that nobody promised.
 */
export async function listPages(
  db: Db,
  projectId: string,
  { status, reportedMissing = false }: PageFilter,
  after: Pick<ListedPage, 'page_id'> | undefined,
  limit: number,
): Promise<ListedPage[]> {
  const { rows } = await sql<ListedPage>`
    select ${listedColumns},
           m.first_at as reported_missing_at, m.reported_at as not_suggested_since
      from pathmend.pages p
      ${reportedMissing ? sql`join` : sql`left join`} pathmend.missing_pages m on m.project_id = p.project_id and m.page_id = p.page_id
     where p.project_id = ${projectId} ${status === undefined ? sql`` : sql`and p.status = ${status}`}
       ${reportedMissing ? sql`and m.first_at is not null` : sql``}
       ${after === undefined ? sql`` : sql`and p.page_id > ${after.page_id}`}
     order by p.page_id limit ${limit}`.execute(db);
  return rows;
}
