import { query, sql } from '../../platform/database/sql.js';
import type { Db } from '../../platform/database/db.js';

/** Statements of `doctor` and /metrics about the database as a whole. They only read. */

export interface ServerFacts {
  version: string;
  pgvector: string | null;
  role: string;
  superuser: boolean;
  /** Whether the role sees what sessions of other roles do. */
  sees_all: boolean;
  replica: boolean;
  max_connections: number;
  connections: number;
  /** Seconds since the epoch, by the server's clock. */
  now: number;
}

export async function readServerFacts(db: Db): Promise<ServerFacts> {
  const { rows } = await sql<ServerFacts>`
    select current_setting('server_version') as version,
           (select extversion from pg_extension where extname = 'vector') as pgvector,
           current_user as role, (select rolsuper from pg_roles where rolname = current_user) as superuser,
           pg_has_role('pg_read_all_stats', 'usage') as sees_all, pg_is_in_recovery() as replica,
           current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
             as max_connections,
           (select sum(numbackends)::int from pg_stat_database) as connections,
           extract(epoch from clock_timestamp())::float8 as now`.execute(db);
  return rows[0] as ServerFacts;
}

/**
 * Reads the numbers of jobs in each queue: those that are due and not begun, with the age of the oldest; and those
 * given up after the last try, kept for a while. Only the role that owns the queue may read them.
 */
export function readQueues(db: Db) {
  return query(sql<{ name: string; waiting: number; active: number; age: number; failed: number }>`
    select q.name, coalesce(j.waiting, 0) as waiting, coalesce(j.active, 0) as active, coalesce(j.age, 0) as age,
           coalesce(j.failed, 0) as failed
      from pgboss.queue q
      left join (select name, count(*) filter (where state < 'active' and start_after <= now())::int as waiting,
                        count(*) filter (where state = 'active')::int as active,
                        count(*) filter (where state = 'failed')::int as failed,
                        extract(epoch from now() - min(greatest(start_after, created_on))
                                filter (where state < 'active' and start_after <= now()))::float8 as age
                   from pgboss.job_common where state < 'completed' or state = 'failed' group by name) as j
        on j.name = q.name
     where q.name not like '\\_\\_%' order by q.name`).rows(db);
}

/** Finds the projects with the most pages in ERROR. */
export function findFailingProjects(db: Db, limit: number): Promise<{ project: string; pages: number }[]> {
  return query(sql<{ project: string; pages: number }>`
    select j.name as project, count(*)::int as pages
      from pathmend.pages p join pathmend.projects j on j.project_id = p.project_id
     where p.status = 'ERROR' group by j.name order by pages desc, project limit ${limit}`).rows(db);
}

/** Finds invalid indexes that no session is building. */
export function findInvalidIndexes(db: Db): Promise<string[]> {
  return query(sql<{ name: string }>`
    select n.nspname || '.' || c.relname as name
      from pg_index i join pg_class c on c.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace
     where not i.indisvalid and n.nspname in ('pathmend', 'pgboss')
       and not exists (select from pg_stat_progress_create_index b where b.index_relid = i.indexrelid)
     order by name`).column(db, 'name');
}

/** Finds projects of which an own index that searches rely on is missing or not valid. */
export function findBrokenOwnIndexes(db: Db): Promise<string[]> {
  return query(sql<{ project: string }>`
    select distinct j.name as project
      from pathmend.index_segments o join pathmend.projects j on j.project_id = o.project_id
     where o.pages is not null
       and 4 <> (
         select count(*)
           from unnest(array['vectors', 'terms', 'paths']) as kind
           join pg_class c on c.relnamespace = to_regnamespace('pathmend_segments')
                          and c.relname = kind || '_' || replace(o.project_id::text, '-', '') || '_' || o.segment
           join pg_index i on i.indrelid = c.oid and i.indisvalid)
     order by project`).column(db, 'project');
}

export function findLongTransactions(db: Db, minSeconds: number) {
  return query(sql<{ pid: number; role: string; program: string; state: string; seconds: number }>`
    select pid, usename as role, application_name as program, coalesce(state, '') as state,
           extract(epoch from clock_timestamp() - xact_start)::float8 as seconds
      from pg_stat_activity
     where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
       and clock_timestamp() - xact_start > make_interval(secs => ${minSeconds})
    union all
    select 0, owner::text, gid, 'prepared', extract(epoch from clock_timestamp() - prepared)::float8
      from pg_prepared_xacts
     where database = current_database() and clock_timestamp() - prepared > make_interval(secs => ${minSeconds})
     order by seconds desc limit 20`).rows(db);
}

/** Finds sessions that wait for a lock, with the sessions that hold it. */
export function findLockWaits(db: Db, minSeconds: number) {
  return query(sql<{ pid: number; blockers: number[]; seconds: number }>`
    select pid, pg_blocking_pids(pid) as blockers,
           extract(epoch from clock_timestamp() - state_change)::float8 as seconds
      from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'
       and clock_timestamp() - state_change > make_interval(secs => ${minSeconds})
     order by seconds desc limit 20`).rows(db);
}

/** Reads which replicas follow this server, and how far they are behind; null: this role may not see it. */
export function readReplicas(db: Db) {
  return query(sql<{ name: string; state: string | null; bytes: number | null; seconds: number | null }>`
    select coalesce(nullif(application_name, ''), 'pid ' || pid) as name, state,
           pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)::float8 as bytes,
           extract(epoch from replay_lag)::float8 as seconds
      from pg_stat_replication where not coalesce(state = 'backup', false) order by name limit 100`).rows(db);
}

/** Finds slots that nobody uses, and how much of its log the server keeps for each. */
export function findIdleSlots(db: Db): Promise<{ name: string; bytes: number }[]> {
  return query(sql<{ name: string; bytes: number }>`
    select slot_name as name, coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0)::float8 as bytes
      from pg_replication_slots where not active and not temporary order by bytes desc, name limit 100`).rows(db);
}

/** Finds the weekly partitions that do not exist for the week of a moment: see db/functions/ensure_weeks.sql. */
export function findMissingWeeks(db: Db, at: Date): Promise<string[]> {
  return query(sql<{ name: string }>`
    select t.name || '_' || to_char(${at}::timestamptz at time zone 'UTC', 'IYYY"w"IW') as name
      from unnest(array['searches', 'clicks', 'not_founds']) as t (name)
     where to_regclass('pathmend.' || t.name || '_' || to_char(${at}::timestamptz at time zone 'UTC', 'IYYY"w"IW')) is null
     order by name`).column(db, 'name');
}

/** Finds stored moments that lie in the future of the database's own clock, and by how many seconds. */
export function findTimesAhead(db: Db, minSeconds: number): Promise<{ name: string; seconds: number }[]> {
  return query(sql<{ name: string; seconds: number }>`
    select name, extract(epoch from at - clock_timestamp())::float8 as seconds
      from (select 'rates', max(updated_at) from pathmend.rate_buckets
            union all select 'API keys', max(last_used_at) from pathmend.api_keys
            union all select 'sessions', max(last_seen_at) from pathmend.sessions
            union all select 'pages that wait', max(status_at) from pathmend.pages where status <> 'INDEXED') as t (name, at)
     where at > clock_timestamp() + make_interval(secs => ${minSeconds})
     order by seconds desc, name`).rows(db);
}
