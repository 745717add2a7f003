import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { rounded, type Figures } from '../harness.js';

/** The tables that grow with projects. */
const TABLES = [
  'pages',
  'indexed_pages',
  'passages',
  'page_terms',
  'vocabulary',
  'rules',
  'index_versions',
  'projects',
];

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

/** Seconds that each table takes to vacuum and analyze. */
export async function vacuum(client: pg.Client): Promise<Figures> {
  const seconds: Figures = {};
  for (const table of [...TABLES, 'api_keys'])
    seconds[table] = rounded((await timed(() => client.query(`vacuum (analyze) pathmend.${table}`))) / 1_000);
  return seconds;
}

/** Megabytes of the database, its largest tables and the catalogue, and how many relations there are. */
export async function sizes(client: pg.Client): Promise<{ catalogue: Figures; tables_mb: Figures }> {
  const { rows } = await client.query<{ database: number; catalogue: number; relations: number }>(
    `select pg_database_size(current_database())::float8 / 1e6 as database, count(*)::int as relations,
            (select sum(pg_total_relation_size(oid))::float8 / 1e6 from pg_class
              where relnamespace = 'pg_catalog'::regnamespace and relkind = 'r') as catalogue
       from pg_class`,
  );
  const { rows: tables } = await client.query<{ name: string; mb: number }>(
    `select relname as name, pg_total_relation_size(oid)::float8 / 1e6 as mb
       from pg_class where relnamespace = 'pathmend'::regnamespace and relname = any ($1)`,
    [TABLES],
  );
  const [found] = rows;
  return {
    catalogue: { mb: rounded(found?.catalogue ?? 0), relations: found?.relations ?? 0 },
    tables_mb: {
      all: rounded(found?.database ?? 0),
      ...Object.fromEntries(tables.map(({ name, mb }) => [name, rounded(mb)])),
    },
  };
}

/** What the server planned and executed since the last reset, in milliseconds; undefined without pg_stat_statements. */
export async function statements(client: pg.Client): Promise<{ plan_ms: number; execute_ms: number } | undefined> {
  const { rows } = await client
    .query<{ plan_ms: number; execute_ms: number }>(
      `select sum(total_plan_time) as plan_ms, sum(total_exec_time) as execute_ms from pg_stat_statements s
         join pg_database d on d.oid = s.dbid and d.datname = current_database()
        where query not like '%pgboss%' and query not like '%pg_stat_statements%'`,
    )
    .catch(() => ({ rows: [] }));
  return rows[0];
}

export async function resetStatements(client: pg.Client): Promise<void> {
  await client.query('select pg_stat_statements_reset()').catch(() => undefined);
}

/** The maintenance that a worker begins when it starts: its seconds. */
export async function maintenance(client: pg.Client, since: Date): Promise<number> {
  for (;;) {
    const { rows } = await client.query<{ state: string; seconds: number }>(
      `select state::text, extract(epoch from completed_on - started_on)::float8 as seconds from pgboss.job_common
        where name = 'maintenance' and started_on > $1 and completed_on is not null order by created_on desc limit 1`,
      [since],
    );
    const [row] = rows;
    if (row?.state === 'completed') return rounded(row.seconds);
    if (row) throw new Error(`maintenance ended as ${row.state}`);
    await pause(100);
  }
}
