import { query, sql } from '../../platform/database/sql.js';
import { PAGE_STATUSES, type PageStatus } from '../../base/glossary.js';
import type { Db } from '../../platform/database/db.js';
import { listedColumns, type PageSummary } from './page-listing.js';
import { countSearchablePages } from '../../projects/index-version.js';

const UNINDEXED = PAGE_STATUSES.filter((status) => status !== 'INDEXED');

export interface IndexState {
  /** The number of pages that are found by their words and path at least. */
  searchable: number;
  /** The number of pages whose beginning is found by its meaning, too. */
  understood: number;
  /** The number of long pages whose end has no vectors. */
  cut: number;
  waiting: number;
  failed: number;
}

/** Counts pages by status, with one index look-up each: grouping would read the table. */
export async function countPagesByStatus(db: Db, projectId: string, statuses = PAGE_STATUSES) {
  const { rows } = await sql<{ status: PageStatus; pages: number }>`
    select s.status, c.pages
      from unnest(${statuses}::text[]) as s (status)
     cross join lateral (select count(*)::int as pages from pathmend.pages p
                          where p.project_id = ${projectId} and p.status = s.status) as c`.execute(db);
  const counts: Record<PageStatus, number> = { INDEXED: 0, PENDING_VECTORIZATION: 0, PROCESSING: 0, ERROR: 0 };
  for (const row of rows) counts[row.status] = row.pages;
  return counts;
}

/** Finds those of some projects that have no page. */
export function findEmptyProjects(db: Db, ids: readonly string[]): Promise<string[]> {
  return query(sql<{ project_id: string }>`
    select i.project_id from unnest(${ids}::uuid[]) as i (project_id)
     where not exists (select from pathmend.pages p where p.project_id = i.project_id)`).column(db, 'project_id');
}

/** Counts a project's pages for status displays, without counting the indexed ones. */
export async function readIndexState(db: Db, projectId: string): Promise<IndexState> {
  const [searchable, counts, { wordsAlone, cut }] = await Promise.all([
    countSearchablePages(db, projectId),
    countPagesByStatus(db, projectId, UNINDEXED),
    countUnread(db, projectId),
  ]);
  const waiting = counts.PENDING_VECTORIZATION + counts.PROCESSING;
  return { searchable, understood: Math.max(0, searchable - wordsAlone), cut, waiting, failed: counts.ERROR };
}

/** Counts the pages that no vectors find, and the pages whose end no vectors find. There is an index for each count. */
async function countUnread(db: Db, projectId: string): Promise<{ wordsAlone: number; cut: number }> {
  const none = { wordsAlone: 0, cut: 0 };
  return (
    (await query(sql<typeof none>`
    select (select count(*)::int from pathmend.indexed_pages
             where project_id = ${projectId} and not understood) as "wordsAlone",
           (select count(*)::int from pathmend.indexed_pages where project_id = ${projectId} and unread > 0) as cut
    `).first(db)) ?? none
  );
}

/** Counts the pages whose newest content is not indexed yet. */
export async function countWaitingPages(db: Db, projectId: string): Promise<number> {
  return query(sql<{ pages: number }>`
    select count(*)::int as pages from pathmend.pages
     where project_id = ${projectId} and status in ('PENDING_VECTORIZATION', 'PROCESSING')`).value(db, 'pages', 0);
}

/** Computes the pages indexed per minute in the last two minutes, by the latest thousand; 0 without any. */
export async function readPagesPerMinute(db: Db, projectId: string): Promise<number> {
  const { rows } = await sql<{ pages: number; minutes: number }>`
    select count(*)::int as pages, coalesce(extract(epoch from now() - min(indexed_at)) / 60, 0)::float8 as minutes
      from (select indexed_at from pathmend.indexed_pages
             where project_id = ${projectId} and indexed_at is not null order by arrival desc limit 1000) as latest
     where indexed_at > now() - interval '2 minutes'`.execute(db);
  const { pages = 0, minutes = 0 } = rows[0] ?? {};
  // A few seconds are too short to extrapolate.
  return minutes < 1 / 20 ? 0 : Math.round(pages / minutes);
}

export interface ListedPage extends Omit<PageSummary, 'indexed_at'> {
  /** The time of the first 404 of the page's url since the last push; null without any. */
  reported_missing_at: Date | null;
  /** The time when searches ceased to suggest the page because of reported 404s; null if they suggest it. */
  not_suggested_since: Date | null;
}

/** Lists pages by page_id: an order by url would sort a million pages, or need an index that slows every push. */
export async function listPages(
  db: Db,
  projectId: string,
  { status, reportedMissing = false }: { status?: PageStatus | undefined; reportedMissing?: boolean | undefined },
  after: Pick<ListedPage, 'page_id'> | undefined,
  limit: number,
): Promise<ListedPage[]> {
  return query(sql<ListedPage>`
    select ${listedColumns},
           m.first_at as reported_missing_at, m.reported_at as not_suggested_since
      from pathmend.pages p
      ${reportedMissing ? sql`join` : sql`left join`} pathmend.missing_pages m on m.project_id = p.project_id and m.page_id = p.page_id
     where p.project_id = ${projectId} ${status === undefined ? sql`` : sql`and p.status = ${status}`}
       ${reportedMissing ? sql`and m.first_at is not null` : sql``}
       ${after === undefined ? sql`` : sql`and p.page_id > ${after.page_id}`}
     order by p.page_id limit ${limit}`).rows(db);
}
