import { setTimeout } from 'node:timers/promises';
import { query, sql, type Sql } from '../../platform/database/sql.js';
import type { Db } from '../../platform/database/db.js';
import { isLockTimeout, withLockTimeout } from '../../platform/database/session/connect.js';
import { requireUuid } from '../../text/uuid.js';
import type { Segment } from './segments.js';

/**
 * The tables of a segment, in a separate schema: copies of the indexed columns with their indexes. So statements on the
 * shared tables are planned without them (docs/evidence/decisions/0083).
 */
const SCHEMA = 'pathmend_segments';
const KINDS = ['vectors', 'terms', 'paths'] as const;
type Kind = (typeof KINDS)[number];

const POLL_MS = 50;
/** The time to wait before a table is dropped: a table that is read for longer is dropped the next time. */
const DROP_TIMEOUT_MS = 1_000;

type Place = { projectId: string; modelId: number } & Pick<Segment, 'segment' | 'after' | 'covered'>;

/** Returns a table of a segment, named as by pathmend.segments_of. */
const tableOf = (kind: Kind, { projectId, segment }: Place): Sql =>
  sql.table(`${SCHEMA}.${kind}_${requireUuid(projectId).replaceAll('-', '')}_${BigInt(segment)}`);

/** The sources of the rows of a segment's tables. A page's terms may be in several rows. */
const sourcesOf = ({ projectId, modelId, after, covered }: Place): Record<Kind, Sql> => {
  const within = sql`r.project_id = ${projectId} and r.arrival > ${after}::bigint and r.arrival <= ${covered}::bigint`;
  return {
    vectors: sql`pathmend.chunks r where ${within} and r.model_id = ${modelId}`,
    terms: sql`pathmend.page_terms r where ${within}`,
    paths: sql`pathmend.indexed_pages r where ${within}`,
  };
};

/**
 * Creates and fills the tables of a segment from after `after` to `covered`, or to the latest arrival. Searches use
 * them once the segment is stored. Sets the session's memory for the build. Takes minutes for a million chunks.
 */
export async function buildIndexSegment(
  session: Db,
  of: { projectId: string; modelId: number; dimensions: number; after: string; covered?: string | undefined },
  signal?: AbortSignal,
): Promise<Segment> {
  const { projectId, modelId, dimensions, after } = of;
  const { rows } = await sql<{ segment: string; covered: string; chunks: number; owner: string }>`
    select nextval('pathmend.arrivals') as segment, count(*)::float8 as chunks,
           (select pg_get_userbyid(relowner) from pg_class where oid = 'pathmend.chunks'::regclass) as owner,
           -- Of all three tables: a page's chunks arrive before its terms and its path.
           coalesce(${of.covered ?? null}::bigint, greatest(max(arrival), ${after}::bigint,
             (select max(arrival) from pathmend.page_terms where project_id = ${projectId}),
             (select max(arrival) from pathmend.indexed_pages where project_id = ${projectId}))) as covered
      from pathmend.chunks
     where project_id = ${projectId} and model_id = ${modelId}
       and arrival > ${after} and arrival <= coalesce(${of.covered ?? null}::bigint, arrival)`.execute(session);
  const [extent] = rows;
  if (!extent) throw new Error('count(*) returned no row');
  const { segment, covered, owner } = extent;
  const place = { projectId, modelId, segment, after, covered };
  if (of.covered === undefined) await earlierWritersDone(session, signal);

  // Without enough memory the graph is built on disk, many times slower. A chunk takes 300 bytes and 3 per dimension.
  const memory = Math.min(2_000, Math.max(64, Math.ceil((extent.chunks * (dimensions * 3 + 300)) / 1e6)));
  await sql`select set_config('maintenance_work_mem', ${`${memory}MB`}, false)`.execute(session);
  // One core, so that the others serve requests. Parallel builds also need shared memory, which containers lack.
  await sql`set max_parallel_maintenance_workers = 0`.execute(session);
  try {
    const from = sourcesOf(place);
    const chunks = await fill('vectors', { embedding: `halfvec(${dimensions})` });
    await fill('terms', { terms: 'sparsevec(1000000000)' });
    const pages = await fill('paths', { path_trigrams: 'bit(512)', slug_trigrams: 'bit(512)' });
    await index('vectors', sql`hnsw (embedding halfvec_ip_ops)`);
    await index('terms', sql`gin (pathmend.term_keys(terms))`);
    await index('paths', sql`hnsw (path_trigrams bit_jaccard_ops)`);
    await index('paths', sql`hnsw (slug_trigrams bit_jaccard_ops)`);
    return { segment, after, covered, chunks, pages };

    async function fill(kind: Kind, columns: Record<string, string>): Promise<number> {
      const table = tableOf(kind, place);
      // The raw text has only types and numbers of our own. A column that may be stored apart would need one more
      // table; PostgreSQL 15 takes the storage of a new column in this form only.
      const changes = Object.entries({ page_id: 'text collate "C"', ...columns }).flatMap(([column, type]) => [
        `add column ${column} ${type} not null`,
        `alter column ${column} set storage ${column === 'terms' ? 'main' : 'plain'}`,
      ]);
      await sql`create table ${table} ()`.execute(session);
      // eslint-disable-next-line no-restricted-syntax
      await sql`alter table ${table} ${sql.raw(changes.join(', '))}`.execute(session);
      // pathmend.pages_in_reach reads the table with its owner's rights. A worker may be a member of that role.
      await sql`alter table ${table} owner to ${sql.ref(owner)}`.execute(session);
      const copied = sql.join(['page_id', ...Object.keys(columns)].map((column) => sql.ref(`r.${column}`)));
      const { numAffectedRows } = await sql`insert into ${table} select ${copied} from ${from[kind]}`.execute(session);
      return Number(numAffectedRows ?? 0);
    }
  } finally {
    await sql`reset maintenance_work_mem`.execute(session);
    await sql`reset max_parallel_maintenance_workers`.execute(session);
  }

  async function index(kind: Kind, using: Sql): Promise<void> {
    await sql`create index on ${tableOf(kind, place)} using ${using}`.execute(session);
  }
}

/**
 * Waits for all transactions that are writing index rows: an uncommitted row with an earlier arrival would be missing
 * in the copy. Its transaction took this lock before its arrival number; later transactions get later numbers.
 */
async function earlierWritersDone(session: Db, signal?: AbortSignal): Promise<void> {
  const writers = async (among?: readonly string[]): Promise<string[]> => {
    const { rows } = await sql<{ writer: string }>`
      select distinct virtualtransaction as writer from pg_locks
       where locktype = 'relation' and mode = 'RowExclusiveLock' and granted
         and database = (select oid from pg_database where datname = current_database())
         and relation = any (array['pathmend.chunks', 'pathmend.page_terms', 'pathmend.indexed_pages']::regclass[])
         and virtualtransaction = any (coalesce(${among ?? null}::text[], array[virtualtransaction]))`.execute(session);
    return rows.map(({ writer }) => writer);
  };
  const earlier = await writers();
  for (let left = earlier; left.length > 0; left = await writers(earlier))
    await setTimeout(POLL_MS, undefined, signal && { signal });
}

/** Deletes the rows of a segment that were changed or deleted since they were copied. */
export async function sweepSegment(session: Db, segment: Place): Promise<void> {
  const from = sourcesOf(segment);
  for (const kind of KINDS)
    await sql`
      delete from ${tableOf(kind, segment)} s
       where not exists (select from ${from[kind]} and r.page_id = s.page_id)`.execute(session);
  await sql`
    update pathmend.index_segments
       set chunks = (select count(*) from ${tableOf('vectors', segment)}),
           pages = (select count(*) from ${tableOf('paths', segment)}), swept_at = now()
     where project_id = ${segment.projectId} and model_id = ${segment.modelId} and segment = ${segment.segment}
  `.execute(session);
}

const TABLES = sql`(
  select schemaname || '.' || tablename as name, split_part(tablename, '_', 2) as project,
         split_part(tablename, '_', -1) as segment
    from pg_tables where schemaname = ${SCHEMA})`;

/** Deletes segments without tables, as after a restore, and drops tables of merged segments and unfinished builds. */
export async function tidySegments(db: Db, projectId: string): Promise<void> {
  const project = requireUuid(projectId).replaceAll('-', '');
  await sql`
    delete from pathmend.index_segments o
     where o.project_id = ${projectId}
       and o.segment::text not in (select r.segment from ${TABLES} as r where r.project = ${project}
                                    group by r.segment having count(*) = ${KINDS.length})`.execute(db);
  const unused = await query(sql<{ name: string }>`
    select r.name from ${TABLES} as r
     where r.project = ${project}
       and not exists (select from pathmend.index_segments o
                        where o.project_id = ${projectId} and o.segment::text = r.segment)`).column(db, 'name');
  const tables = unused.map((name) => sql.table(name));
  try {
    if (tables.length > 0)
      await withLockTimeout(db, DROP_TIMEOUT_MS, (trx) => sql`drop table if exists ${sql.join(tables)}`.execute(trx));
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
  }
}

/** Finds deleted projects with remaining segments. */
export function findProjectsWithOrphanedSegments(db: Db): Promise<string[]> {
  return query(sql<{ project_id: string }>`
    select distinct r.project::uuid::text as project_id from ${TABLES} as r
     where r.project ~ '^[0-9a-f]{32}$'
       and not exists (select from pathmend.projects p where replace(p.project_id::text, '-', '') = r.project)
  `).column(db, 'project_id');
}
