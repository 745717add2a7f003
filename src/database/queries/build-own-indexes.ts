import { sql } from '#kysely';
import type { Db } from '../db.js';
import { requireUuid } from '../../text/uuid.js';
import type { IndexSegment } from './own-indexes.js';

/** Index names are this prefix, the project's id, what is indexed, and the segment's number. */
const PREFIX = 'seg_';

/**
 * Runs `work`, which builds a project's indexes, unless another process builds them: two would drop each other's
 * unfinished indexes. `work` gets the session that holds the lock. An abort cancels the running statement: otherwise
 * the server would build for minutes after its client is gone, and hold the lock.
 */
export async function withBuildLock(
  db: Db,
  projectId: string,
  work: (session: Db) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  await db.connection().execute(async (session) => {
    // A lock of an ended session is taken over. If this role may not see when a session began, it counts as alive.
    const { rows } = await sql<{ pid: number }>`
      insert into pathmend.turns as t (project_id, what, pid, session_began)
      select p.project_id, 'own_indexes', a.pid, a.backend_start
        from pathmend.projects p join pg_stat_activity a on a.pid = pg_backend_pid()
       where p.project_id = ${projectId}
      on conflict (project_id, what) do update set pid = excluded.pid, session_began = excluded.session_began
       where not exists (select from pg_stat_activity a
                          where a.pid = t.pid and coalesce(a.backend_start = t.session_began, true))
      returning pid`.execute(session);
    const [mine] = rows;
    if (!mine) return;
    const cancel = (): void => {
      sql`select pg_cancel_backend(${mine.pid})`.execute(db).catch(() => undefined);
    };
    signal?.addEventListener('abort', cancel);
    try {
      await work(session);
    } finally {
      signal?.removeEventListener('abort', cancel);
      await sql`
        delete from pathmend.turns
         where project_id = ${projectId} and what = 'own_indexes' and pid = ${mine.pid}`.execute(session);
    }
  });
}

/**
 * Builds the indexes of a segment, which starts after `after` and ends at `covered`, or with the latest arrival.
 * Does not block searches and writes. Sets the session's memory for the build. Takes minutes for a million passages.
 */
export async function buildIndexSegment(
  session: Db,
  of: { projectId: string; modelId: number; dimensions: number; after: string; covered?: string | undefined },
): Promise<IndexSegment> {
  const { projectId, modelId, dimensions, after } = of;
  const { rows } = await sql<{ segment: string; covered: string; passages: number }>`
    select nextval('pathmend.arrivals') as segment, count(*)::float8 as passages,
           coalesce(${of.covered ?? null}::bigint, max(arrival), ${after}::bigint) as covered
      from pathmend.passages
     where project_id = ${projectId} and model_id = ${modelId}
       and arrival > ${after} and arrival <= coalesce(${of.covered ?? null}::bigint, arrival)`.execute(session);
  const [built] = rows;
  if (!built) throw new Error('count(*) returned no row');
  // Without enough memory the graph is built on disk, many times slower. A passage takes 300 bytes and 3 per dimension.
  const memory = Math.min(2_000, Math.max(64, Math.ceil((built.passages * (dimensions * 3 + 300)) / 1e6)));
  await sql`select set_config('maintenance_work_mem', ${`${memory}MB`}, false)`.execute(session);
  // One core, so that the others answer requests. Parallel builds also need shared memory, which containers lack.
  await sql`set max_parallel_maintenance_workers = 0`.execute(session);
  // The condition of db/functions/pages_in_reach.sql.
  const project = `project_id = '${requireUuid(projectId)}'`;
  const mine = `${project} and arrival + 0 > ${after} and arrival + 0 <= ${built.covered}`;
  const build = async (what: string, table: string, using: string, where = mine): Promise<void> => {
    const name = `${PREFIX}${projectId.replaceAll('-', '')}_${what}_${built.segment}`;
    // An index's condition takes no parameters. It contains a checked uuid, and numbers from the database.
    // eslint-disable-next-line no-restricted-syntax
    await sql
      .raw(`create index concurrently ${name} on pathmend.${table} using ${using} where ${where}`)
      .execute(session);
    // Statistics of an index expression help no plan here, and add seconds to every ANALYZE: the keys of 30,000 pages.
    if (what === 'vec' || what === 'trm')
      await sql`alter index ${sql.ref(`pathmend.${name}`)} alter column 1 set statistics 0`.execute(session);
  };
  try {
    const vectors = `hnsw ((embedding::halfvec(${dimensions})) halfvec_ip_ops)`;
    await build('vec', 'passages', vectors, `${mine} and model_id = ${modelId}`);
    await build('trm', 'page_terms', 'gin (pathmend.term_keys(terms))');
    await build('pth', 'indexed_pages', 'hnsw (path_trigrams bit_jaccard_ops)');
    await build('slg', 'indexed_pages', 'hnsw (slug_trigrams bit_jaccard_ops)');
  } finally {
    await sql`reset maintenance_work_mem`.execute(session);
    await sql`reset max_parallel_maintenance_workers`.execute(session);
  }
  return { ...built, after };
}

/** Drops a project's indexes that are not in use: replaced, or never finished. Returns how many. */
export async function dropUnusedIndexes(db: Db, projectId: string): Promise<number> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'pathmend'
     where c.relkind = 'i' and c.relname ~ ${`^${PREFIX}` + projectId.replaceAll('-', '')}
       and split_part(c.relname, '_', 4) <> all (array(
         select o.segment::text from pathmend.own_indexes o where o.project_id = ${projectId}))`.execute(db);
  for (const { name } of rows) await sql`drop index concurrently if exists ${sql.ref(`pathmend.${name}`)}`.execute(db);
  return rows.length;
}

/** Deleted projects whose indexes still exist. */
export async function findProjectsWithOrphanedIndexes(db: Db): Promise<string[]> {
  const { rows } = await sql<{ project_id: string }>`
    select distinct split_part(c.relname, '_', 2)::uuid::text as project_id
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'pathmend'
     where c.relkind = 'i' and c.relname ~ ${`^${PREFIX}[0-9a-f]{32}_`}
       and not exists (select from pathmend.projects p
                        where replace(p.project_id::text, '-', '') = split_part(c.relname, '_', 2))`.execute(db);
  return rows.map((row) => row.project_id);
}
