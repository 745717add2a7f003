import { query, sql } from '../../platform/database/sql.js';
import type { Db } from '../../platform/database/db.js';
import type { Days } from '../range.js';

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

/** Outcomes of people's 404s of some projects, by day. */
export function selectRecoveryDays(db: Db, projectIds: readonly string[], { from, to }: Days) {
  const outcomes = OUTCOMES.map((outcome) => sql`(${outcome}, d.${sql.ref(outcome)})`);
  return query(sql<RecoveryDay>`
    select d.project_id, d.day::text as day, o.outcome, sum(o.hits)::float8 as hits
      from analytics.recovery_daily d
     cross join lateral (values ${sql.join(outcomes)}) as o (outcome, hits)
     where d.project_id = any (${projectIds}::uuid[]) and d.day between ${from}::date and ${to}::date
     group by 1, 2, 3 having sum(o.hits) > 0 order by 1, 2, 3`).rows(db);
}

/** Finds the time of the latest stored 404, of any kind of visitor. */
export async function findLastNotFound(db: Db, projectId: string): Promise<Date | null> {
  return query(sql<{ last: Date | null }>`
    select max(last_seen) as last from analytics.recovery_by_path_all
     where project_id = ${projectId}
       and day = (select max(day) from analytics.recovery_daily_all where project_id = ${projectId})
  `).value(db, 'last', null);
}
