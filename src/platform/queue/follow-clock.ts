import { query, sql } from '../database/sql.js';
import type { Db } from '../database/db.js';
import type { Logger } from '../../base/logger.js';

/** Moments in the queue are seconds apart. A moment that is further in the future was stored by another clock. */
const TOLERATED_SECONDS = 5;
const LOOK_EVERY_MS = 20_000;

/**
 * Repairs the queue after the database's clock was set back, or after a server took over whose clock is behind. The
 * schedule, the search for jobs of dead workers and jobs with a delay would stand still until the clock reaches the
 * stored moments. Moments in the future are set to now, and delays are shortened by as much as the clock went back. The
 * minutes that come again no longer count as taken by their jobs. A step forward needs nothing: everything is due.
 *
 * @returns the seconds by which the clock went back; 0 if no moment had to change.
 */
export async function drawBackQueue(db: Db): Promise<number> {
  return query(sql<{ seconds: number }>`
    with stepped as materialized (
      select now() as now, max(s.at) - now() as by
        from (select greatest(cron_on, bam_on, flow_on, reindex_on) from pgboss.version
              union all select greatest(monitor_claim_on, monitor_on, maintain_on) from pgboss.queue) as s (at)
      having max(s.at) > now() + make_interval(secs => ${TOLERATED_SECONDS})),
    whole as (
      update pgboss.version v
         set cron_on = least(v.cron_on, s.now), bam_on = least(v.bam_on, s.now), flow_on = least(v.flow_on, s.now),
             reindex_on = least(v.reindex_on, s.now), monitor_backoff_on = null
        from stepped s),
    queues as (
      update pgboss.queue q
         set monitor_claim_on = least(q.monitor_claim_on, s.now), monitor_on = least(q.monitor_on, s.now),
             maintain_on = least(q.maintain_on, s.now)
        from stepped s),
    jobs as (
      update pgboss.job_common j
         set start_after = case when j.start_after > s.now then greatest(s.now, j.start_after - s.by)
                           else j.start_after end,
             created_on = least(j.created_on, s.now), started_on = case when j.started_on > s.now then s.now
                                                                   else j.started_on end,
             heartbeat_on = case when j.heartbeat_on > s.now then s.now else j.heartbeat_on end,
             singleton_on = case when j.singleton_on <= s.now at time zone 'UTC' then j.singleton_on end
        from stepped s
       where greatest(j.start_after, j.created_on, j.started_on, j.heartbeat_on) > s.now
          or j.singleton_on > s.now at time zone 'UTC')
    select extract(epoch from by)::float8 as seconds from stepped`).value(db, 'seconds', 0);
}

/** Checks the queue at once, and then three times a minute. @returns a function that ends the checks */
export async function followClock(db: Db, logger: Logger): Promise<() => void> {
  const look = async (): Promise<void> => {
    try {
      const seconds = await drawBackQueue(db);
      if (seconds > 0) logger.warn('the clock of the database was set back', { seconds: Math.round(seconds) });
    } catch (error) {
      logger.warn('the queue cannot be held against the clock of the database', { error });
    }
  };
  await look();
  const timer = setInterval(() => void look(), LOOK_EVERY_MS).unref();
  return () => clearInterval(timer);
}
