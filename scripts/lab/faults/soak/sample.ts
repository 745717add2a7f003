import { readdir } from 'node:fs/promises';
import type pg from 'pg';
import { memoryOf } from '../../../service/child.js';

interface Sampled {
  api: { pid: number; url: string };
  worker: { pid: number; url: string };
  pool: pg.Pool;
}

const GAUGES =
  /^(pathmend_search_cache_entries|pathmend_database_connections|pathmend_database_waiting|pathmend_bytes_in_hand|pathmend_embedding_waiting|nodejs_active_handles_total) (\S+)/gm;

/** Tables with their partitions; megabytes of everything on disk, indexes included, and rows that are dead. */
const TABLES = `
  with recursive part as (
    select c.oid, c.oid as root from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname in ('pathmend', 'pgboss') and c.relkind in ('r', 'p') and not c.relispartition
    union all
    select i.inhrelid, part.root from part join pg_inherits i on i.inhparent = part.oid)
  select root::regclass::text as name, sum(pg_total_relation_size(part.oid)) ::float8 / 1e6 as mb, coalesce(sum(s.n_dead_tup), 0)::float8 as dead
    from part left join pg_stat_user_tables s on s.relid = part.oid group by root`;

const HISTORY = /^pathmend\.(searches|clicks|not_founds)$/;

/** Every figure that must not grow, by name. Tables that hold next to nothing are left out. */
export async function sample({ api, worker, pool }: Sampled): Promise<Map<string, number>> {
  const figures = new Map<string, number>();
  for (const [role, { pid, url }] of Object.entries({ api, worker })) {
    figures.set(`${role} rss MB`, (await memoryOf(pid)).rss_mb);
    figures.set(`${role} file handles`, (await readdir(`/proc/${pid}/fd`)).length);
    const metrics = await (await fetch(`${url}/metrics`)).text();
    for (const [, name = '', value] of metrics.matchAll(GAUGES)) figures.set(`${role} ${name}`, Number(value));
  }
  const { rows: tables } = await pool.query<{ name: string; mb: number; dead: number }>(TABLES);
  for (const { name, mb, dead } of tables) {
    const kind = HISTORY.test(name) ? 'history ' : '';
    figures.set(`${kind}${name} MB`, mb);
    figures.set(`${kind}${name} dead rows`, dead);
  }
  const { rows: jobs } = await pool.query<{ n: number }>('select count(*)::int as n from pgboss.job');
  figures.set('pgboss.job rows', jobs[0]?.n ?? 0);
  const { rows: connections } = await pool.query<{ n: number }>(
    'select count(*)::int as n from pg_stat_activity where datname = current_database()',
  );
  figures.set('database connections', connections[0]?.n ?? 0);
  return figures;
}
