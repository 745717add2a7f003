import { sql } from '../../platform/database/sql.js';
import type { Db } from '../../platform/database/db.js';

export const OUTCOMES = ['redirected', 'clicked', 'suggested', 'nothing', 'gone', 'unlinked'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export interface RecoveryDay {
  project_id: string;
  /** The UTC day is written as in `2026-11-24`. */
  day: string;
  outcome: Outcome;
  /** 404s of people and unknown visitors. */
  hits: number;
}

/** Outcomes of people's 404s of some projects, by day: the last `days` days with today. */
export function selectRecoveryDays(db: Db, projectIds: readonly string[], today: string, days: number) {
  return sql<RecoveryDay>`
    select d.project_id, d.day::text as day, d.outcome, sum(d.hits)::float8 as hits
      from pathmend.not_found_days d
     where d.project_id = any (${projectIds}::uuid[]) and d.visitor in ('person', 'unknown')
       and d.day > ${today}::date - ${days}::int and d.day <= ${today}::date
     group by 1, 2, 3 order by 1, 2, 3`.rows(db);
}

/** When the latest 404 that is kept was met, by whomever. */
export async function findLastNotFound(db: Db, projectId: string): Promise<Date | null> {
  return sql<{ last: Date | null }>`
    select max(d.last_seen) as last from pathmend.path_days d
     where d.project_id = ${projectId}
       and d.day = (select max(n.day) from pathmend.not_found_days n where n.project_id = ${projectId})
  `.value(db, 'last', null);
}

/** Looked at, of a project's redirects: a few hundredths of a second. */
const MAX_LOOKED = 20_000;

/** Counts a project's redirects of single paths that lead to no indexed page, `max` at most. */
export async function countDeadRedirects(db: Db, projectId: string, max: number): Promise<number> {
  return sql<{ count: number }>`
    select count(*)::int as count from (
      select from (select * from pathmend.rules r
                    where r.project_id = ${projectId} and r.action = 'redirect' and r.prefix is null
                    limit ${MAX_LOOKED}) as r
       where not exists (select from pathmend.pages p
                           join pathmend.indexed_pages x on x.project_id = ${projectId} and x.page_id = p.page_id
                          where p.project_id = ${projectId} and p.path_key in (r.target_key, r.target_bare_key)
                            and (r.target_host is null or split_part(p.url, '/', 3) = r.target_host))
      limit ${max}) as dead`.value(db, 'count', 0);
}
