import { query, sql } from '../../platform/database/sql.js';
import type { Db } from '../../platform/database/db.js';
import { matchesTarget, selectTargetOf } from '../../rules/store/rules-of-path.js';

/** 404s of people in some hours; an hour without one is missing. */
export function selectNotFoundHours(db: Db, projectId: string, hours: readonly Date[]) {
  return query(sql<{ hour: Date; hits: number }>`
    select hour, hits::float8 as hits from pathmend.not_found_hours
     where project_id = ${projectId} and hour = any (${hours}::timestamptz[])`).rows(db);
}

/** When the first 404 of a person that is kept was met. */
export async function findFirstHour(db: Db, projectId: string): Promise<Date | undefined> {
  const hours = db.selectFrom('pathmend.not_found_hours').select('hour').where('project_id', '=', projectId);
  return (await hours.orderBy('hour').limit(1).executeTakeFirst())?.hour;
}

export interface BrokenTarget {
  /** The path of the rule, as it was written. */
  path: string;
  target: string;
  why: 'deleted' | 'error';
}

/** Rules whose target page was deleted, as its tombstone says, or could not be indexed; it must have existed. */
export function findDeadTargets(db: Db, projectId: string, limit: number): Promise<BrokenTarget[]> {
  return query(sql<BrokenTarget>`
    (select r.path, case when r.prefix is null then t.url else r.target end as target, 'deleted' as why
       from pathmend.tombstones t
       join pathmend.rules r on r.project_id = t.project_id and ${matchesTarget(sql`t.path_key`)}
        and (r.target_host is null or split_part(t.url, '/', 3) = r.target_host)
      where t.project_id = ${projectId} and not exists (${selectTargetOf(projectId)})
      limit ${limit})
    union
    (select r.path, coalesce(case when r.prefix is null then p.url end, r.target), 'error'
       from pathmend.pages o
       join pathmend.rules r on r.project_id = o.project_id and ${matchesTarget(sql`o.path_key`)}
      cross join lateral (${selectTargetOf(projectId)}) as p
      where o.project_id = ${projectId} and o.status = 'ERROR' and p.page_id = o.page_id
      limit ${limit})
    limit ${limit}`).rows(db);
}

/** Pages that could not be indexed and have been so since before a moment. */
export function findErrorPages(db: Db, projectId: string, before: Date, limit: number) {
  return query(sql<{ url: string; error: string | null }>`
    select url, left(error, 300) as error from pathmend.pages
     where project_id = ${projectId} and status = 'ERROR' and status_at < ${before}
     order by page_id limit ${limit}`).rows(db);
}

export interface WeekPath {
  path: string;
  hits: number;
  recovered: number;
}

/** The paths that people missed most in the week of a Monday. */
export function selectWeekPaths(db: Db, projectId: string, monday: string, limit: number): Promise<WeekPath[]> {
  return query(sql<WeekPath>`
    select path, sum(hits)::float8 as hits, sum(recovered)::float8 as recovered from analytics.recovery_by_path
     where project_id = ${projectId} and day between ${monday}::date and ${monday}::date + 6 and path <> '(other)'
     group by 1 order by 2 desc, 1 limit ${limit}`).rows(db);
}

export interface BrokenLink {
  page: string;
  path: string;
  hits: number;
}

/** Links on the site's own pages that led people to nothing in the week of a Monday, and to nothing useful. */
export function selectBrokenLinks(db: Db, projectId: string, monday: string, limit: number): Promise<BrokenLink[]> {
  return query(sql<BrokenLink>`
    select referrer as page, path, people::float8 as hits from analytics.referrers
     where project_id = ${projectId} and week = ${monday}::date and own and people > 0
       and path <> '(other)' and referrer <> '(other)'
     order by people desc, 1, 2 limit ${limit}`).rows(db);
}
