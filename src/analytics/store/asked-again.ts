import { sql, type Sql } from '../../platform/database/sql.js';

/** The 404s of the last DAYS days are read, or of the latest hours alone if people met more than MAX_READ. */
const DAYS = 28;
const MAX_READ = 20_000;

/**
 * Selects paths that redirected visitors with a known address (and user agent), and how many of these asked again
 * within a minute: they went back, perhaps, from a wrong page. The sign is weak.
 */
export function selectAskedAgain(projectId: string): Sql<{ path: string; redirects: number; again: number }> {
  // No sample: it would part a visitor's 404s.
  return sql`
    with reached as materialized (
      select greatest(max(h.hour) filter (where h.later > ${MAX_READ}), now() - ${DAYS} * interval '1 day') as since
        from (select hour, sum(hits) over (order by hour desc) as later from pathmend.not_found_hours
               where project_id = ${projectId}) as h),
    met as (
      select r.raw_path as path, r.outcome,
             lead(r.received_at) over (partition by r.raw_path, r.visitor_ip, r.user_agent order by r.received_at)
               - r.received_at < interval '1 minute' as is_again
        from (select r.* from pathmend.not_founds r
               where r.project_id = ${projectId} and not r.is_test and r.visitor = 'person' and r.visitor_ip is not null
                 and r.received_at >= (select since from reached)
                 -- The condition on the day selects the weekly partitions.
                 and (r.received_at at time zone 'UTC')::date >= (select (since at time zone 'UTC')::date from reached)
               order by r.received_at desc limit ${MAX_READ}) as r)
    select path, count(*)::float8 as redirects, (count(*) filter (where is_again))::float8 as again
      from met where outcome = 'redirected' group by path`;
}
