import { query, sql } from '../../platform/database/sql.js';
import type { Db } from '../../platform/database/db.js';
import type { ProjectRow } from '../../projects/store/projects.js';
import { daysBefore, type Days } from '../range.js';
import { now, sumBefore } from './not-founds.js';

/** The maximum number of pages and alerts of each kind that are counted in a project. */
const MAX_LOOKED = 1_000;

/** The projects behind a name, by name: all, or those of these ids. */
export function selectProjectsAfter(
  db: Db,
  ids: readonly string[] | undefined,
  after: string | undefined,
  limit: number,
): Promise<Pick<ProjectRow, 'project_id' | 'name' | 'plan'>[]> {
  return query(sql<Pick<ProjectRow, 'project_id' | 'name' | 'plan'>>`
    select p.project_id, p.name, p.plan from pathmend.projects p
     where (${after ?? null}::text is null or p.name > ${after ?? null}::text)
       ${ids ? sql`and p.project_id = any (${ids}::uuid[])` : sql``}
     order by p.name limit ${limit}`).rows(db);
}

/** A project at work has things that need somebody, and an index that may be behind. */
export interface ProjectAtWork {
  project_id: string;
  /** Pages in ERROR and open alerts, up to a thousand. */
  errors: number;
  alerts: number;
  /** Pages that wait to be indexed, up to a thousand, and since when the oldest of these waits. */
  waiting: number;
  waiting_since: Date | null;
}

export function selectProjectsAtWork(db: Db, ids: readonly string[]): Promise<ProjectAtWork[]> {
  return query(sql<ProjectAtWork>`
    select i.project_id, e.errors, a.alerts, w.waiting, w.waiting_since
      from unnest(${ids}::uuid[]) as i (project_id)
     cross join lateral (
       select count(*)::int as errors
         from (select from pathmend.pages g
                where g.project_id = i.project_id and g.status = 'ERROR' limit ${MAX_LOOKED}) as found) as e
     cross join lateral (
       select count(*)::int as alerts
         from (select from pathmend.alerts x
                where x.project_id = i.project_id and x.ended_at is null limit ${MAX_LOOKED}) as found) as a
     cross join lateral (
       select count(*)::int as waiting, min(found.status_at) as waiting_since
         from ((select g.status_at from pathmend.pages g
                 where g.project_id = i.project_id and g.status = 'PROCESSING' limit ${MAX_LOOKED})
               union all
               (select g.status_at from pathmend.pages g
                 where g.project_id = i.project_id and g.status = 'PENDING_VECTORIZATION' limit ${MAX_LOOKED})) as found) as w
  `).rows(db);
}

export const NO_RECOVERY = { hits: 0, before: 0, recovered: 0, recovered_before: 0 };
/** 404s of people, and those that were redirected or whose visitor clicked; on the days and before. */
export type Recovery = typeof NO_RECOVERY;

/** People's 404s of some projects on the days and on as many before. A project without any has no row. */
export function selectRecovery(db: Db, projectIds: readonly string[], days: Days) {
  const isBefore = sql`filter (where day < ${days.from}::date)`;
  return query(sql<Recovery & { project_id: string }>`
    select project_id, coalesce(sum(hits) ${now(days)}, 0)::float8 as hits, ${sumBefore(days, 'hits')},
           coalesce(sum(recovered) ${now(days)}, 0)::float8 as recovered,
           coalesce(sum(recovered) ${isBefore}, 0)::float8 as recovered_before
      from analytics.recovery_daily
     where project_id = any (${projectIds}::uuid[]) and day between ${daysBefore(days).from}::date and ${days.to}::date
     group by 1`).rows(db);
}

/** The 404s and clicks of the demo name this site, which marks them as made up. */
export const GENERATED_ORIGIN = 'https://generated.kettleandpine.example';

/** Whether a project has made-up 404s in the last 400 days: a look into the key for each day, and no scan. */
export async function hasGenerated(db: Db, projectId: string): Promise<boolean> {
  return query(sql<{ has_generated: boolean }>`
    select exists (
      select from generate_series(0, 400) as ago
       cross join lateral (
         select 1 from pathmend.not_found_days n
          where n.project_id = ${projectId} and n.day = (now() at time zone 'UTC')::date - ago and n.origin = ${GENERATED_ORIGIN}
          limit 1) as n) as has_generated`).value(db, 'has_generated', false);
}
