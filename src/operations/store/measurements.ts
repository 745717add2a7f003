import { sql, type Sql } from '../../platform/database/sql.js';
import { countChangingProjects } from '../../pages/store/model-choices.js';
import type { ReplicaLag, WorkFacts } from '../../platform/telemetry/gauges.js';
import type { Db } from '../../platform/database/db.js';

/** Statements of /metrics. They read a bounded number of rows, however many pages and jobs there are. */

const MAX_COUNTED = 10_000;

const WAITING = ['PENDING_VECTORIZATION', 'PROCESSING', 'ERROR'] as const;

/** A query of the pages with one status: Citus joins no rows of all projects to a list. */
function countWaiting(status: (typeof WAITING)[number]): Sql {
  return sql`
      select ${status}::text as status, n.pages, o.seconds
        from (select count(*)::int as pages
                from (select 1 from pathmend.pages
                       where status = ${status} and status <> 'INDEXED' limit ${MAX_COUNTED}) as p) as n
       cross join (
         select extract(epoch from now() - min(status_at))::float8 as seconds
           from pathmend.pages where status = ${status} and status <> 'INDEXED' and ${status} <> 'ERROR') as o`;
}

/** Measures jobs and pages that wait. Only the queue's owner may read its counts, which a worker keeps up (pg-boss). */
export async function measureWork(db: Db): Promise<WorkFacts> {
  const { rows: queues } = await sql<WorkFacts['queues'][number]>`
    select q.name as kind, q.ready_count as waiting, q.active_count as active, q.failed_count as failed,
           coalesce(o.seconds, 0) as oldest_seconds
      from pgboss.queue q
     cross join lateral (
       select extract(epoch from now() - min(greatest(n.start_after, n.created_on)))::float8 as seconds
         from (select start_after, created_on from pgboss.job_common
                where name = q.name and state < 'active' and not blocked
                order by priority desc, created_on limit ${MAX_COUNTED}) as n
        where n.start_after <= now()) as o
     where q.name not like '\\_\\_%' order by q.name`.execute(db);
  const { rows: pages } = await sql<WorkFacts['pages'][number]>`
    with counted as (
      ${sql.join(WAITING.map(countWaiting), sql` union all `)}
    ), total as (
      select count(*)::int as pages from (select 1 from pathmend.pages limit ${MAX_COUNTED + 1}) as p
    ), estimated as (
      select u.status, (u.share * greatest(c.reltuples, 0))::int as pages
        from pg_class c, pg_stats s,
             unnest(s.most_common_vals::text::text[], s.most_common_freqs) as u (status, share)
       where c.oid = 'pathmend.pages'::regclass
         and s.schemaname = 'pathmend' and s.tablename = 'pages' and s.attname = 'status'
    )
    select c.status, case when c.pages < ${MAX_COUNTED} then c.pages else greatest(c.pages, coalesce(e.pages, 0)) end as pages,
           c.seconds as oldest_seconds
      from counted c left join estimated e on e.status = c.status
    union all
    select 'INDEXED', case when t.pages > ${MAX_COUNTED} and e.pages is not null then e.pages
                           else greatest(0, t.pages - (select sum(pages) from counted)) end::int, null
      from total t left join estimated e on e.status = 'INDEXED'`.execute(db);
  return { queues, pages, changingProjects: await countChangingProjects(db) };
}

/** Measures how far the replica is behind. An idle primary's last change grows old, and nothing is missing. */
export async function measureReplica(primary: Db, replica: Db): Promise<ReplicaLag> {
  const { rows } = await sql<{ lsn: string }>`select pg_current_wal_lsn()::text as lsn`.execute(primary);
  const { in_recovery, bytes, seconds } = await readReplicaState(replica, rows[0]?.lsn ?? '0/0');
  // A promoted replica follows no primary.
  if (!in_recovery) return { bytes: Infinity, seconds: Infinity };
  return { bytes, seconds: bytes > 0 ? seconds : 0 };
}

export interface ReplicaState {
  in_recovery: boolean;
  paused: boolean;
  bytes: number;
  seconds: number;
}

/** @param primaryAt the position of the primary's log */
export async function readReplicaState(replica: Db, primaryAt: string): Promise<ReplicaState> {
  const { rows } = await sql<ReplicaState>`
    select r.yes as in_recovery, r.yes and pg_is_wal_replay_paused() as paused,
           case when r.yes then greatest(0, pg_wal_lsn_diff(${primaryAt}::pg_lsn, pg_last_wal_replay_lsn())) else 0
            end::float8 as bytes,
           coalesce(extract(epoch from now() - pg_last_xact_replay_timestamp()), 0)::float8 as seconds
      from (select pg_is_in_recovery() as yes) as r`.execute(replica);
  return rows[0] as ReplicaState;
}
