import { query, sql, type Sql } from '../../platform/database/sql.js';
import type { Db } from '../../platform/database/db.js';

/** A range of a project's order of arrival with its own indexes; see pathmend.index_segments. */
export interface Segment {
  /** The number in the names of its tables. */
  segment: string;
  /** The segment's tables hold the rows that arrived after `after` and up to `covered`. */
  after: string;
  covered: string;
  /** The numbers of chunks and pages at the time of the build, or of the last sweep. */
  chunks: number;
  pages: number;
}

/**
 * A condition on rows `r` of one project: they arrived after this place. It hides the place from the planner, which
 * assumes that project and arrival are independent. With the place known, and other sites imported later, the planner
 * expected most of the project's rows to match and read all of them in every search (100,000 rows, 33 of 71 ms), though
 * none did. For a range with unknown bounds it expects one row in 200, and reads in the order of arrival.
 */
export function arrivedAfter(place: Sql): Sql {
  return sql`r.arrival > (select ${place}::bigint) and r.arrival <= 9223372036854775807`;
}

interface ReachQuery {
  vector: Sql;
  /** Sparse vectors: one of a question, or two of a path's and its slug's terms. Each is a value for compileOnce. */
  terms?: readonly string[];
  /** The terms to look up, an array of TermLookup as JSON. */
  lookups?: string;
  signatures?: Record<'path' | 'slug', string> | undefined;
}

/** Calls db/functions/pages_in_reach.sql: what own indexes find; if none is left, the pages up to `covered`. */
export function pagesInReach(
  { projectId, modelId, covered }: { projectId: string; modelId: number; covered: string },
  { vector, terms = [], lookups = '[]', signatures }: ReachQuery,
): Sql {
  return sql`pathmend.pages_in_reach(
        ${projectId}::uuid, ${modelId}::integer, ${covered}::bigint,
        ${vector}::halfvec, array[${sql.join(terms)}]::sparsevec[], ${lookups}::jsonb,
        ${signatures?.path ?? sql`null`}::bit(512), ${signatures?.slug ?? sql`null`}::bit(512))`;
}

/** Reads the last arrival that the own indexes of each project cover. */
export async function listCoverage(db: Db): Promise<{ project_id: string; model_id: number; covered: string }[]> {
  return query(sql<{ project_id: string; model_id: number; covered: string }>`
    select project_id, model_id, max(covered) as covered
      from pathmend.index_segments group by project_id, model_id`).rows(db);
}

export interface Growth {
  model_id: number;
  dimensions: number;
  /** The segments in the order of arrival. */
  segments: (Segment & { swept_seconds: number })[];
  /** The number of chunks in the unindexed tail, counted up to a limit. */
  tail: number;
  /** The number of pages in the unindexed tail, counted up to the same limit. */
  tail_pages: number;
  /** The number of searchable pages of the project. */
  pages: number;
  /** The number of seconds since the latest page arrived. */
  quiet_seconds: number;
}

/** Reads how much of a project its own indexes cover; undefined for a project without pages. */
export async function readGrowth(db: Db, projectId: string, limit: number): Promise<Growth | undefined> {
  return query(sql<Growth>`
    select p.model_id, m.dimensions, o.segments,
           (select count(*)::int from (
              select from pathmend.chunks r
               where r.project_id = p.project_id and r.model_id = p.model_id and ${arrivedAfter(sql`o.covered`)}
               limit ${limit}) as tail) as tail,
           (select count(*)::int from (
              select from pathmend.indexed_pages r
               where r.project_id = p.project_id and ${arrivedAfter(sql`o.covered`)}
               limit ${limit}) as tail) as tail_pages,
           coalesce((select v.pages from pathmend.index_versions v where v.project_id = p.project_id), 0)::float8 as pages,
           extract(epoch from now() - x.indexed_at)::float8 as quiet_seconds
      from pathmend.projects p
      join pathmend.models m on m.model_id = p.model_id
     cross join lateral (
       select coalesce(max(s.covered), -1) as covered,
              coalesce(jsonb_agg(jsonb_build_object('segment', s.segment::text, 'after', s.after::text,
                                                    'covered', s.covered::text, 'chunks', s.chunks, 'pages', s.pages,
                                                    'swept_seconds', extract(epoch from now() - s.swept_at))
                                 order by s.covered), '[]') as segments
         from pathmend.index_segments s
        where s.project_id = p.project_id and s.model_id = p.model_id) as o
     cross join lateral (
       select i.indexed_at from pathmend.indexed_pages i
        where i.project_id = p.project_id and i.indexed_at is not null order by i.arrival desc limit 1) as x
     where p.project_id = ${projectId}`).first(db);
}

/** Finds projects that may need a build: those with `minPages` searchable pages, and those with own indexes. */
export function findLargeProjects(db: Db, minPages: number): Promise<string[]> {
  return query(sql<{ project_id: string }>`
    select project_id from pathmend.index_versions where pages >= ${minPages}
    union select project_id from pathmend.index_segments`).column(db, 'project_id');
}

/** Stores a new segment. It replaces the segments that it covers, and all of another model. */
export async function replaceIndexSegments(db: Db, projectId: string, modelId: number, built: Segment): Promise<void> {
  await sql`
    with held as (
      delete from pathmend.index_segments
       where project_id = ${projectId}
         and (model_id <> ${modelId} or (after >= ${built.after} and covered <= ${built.covered}))
    )
    insert into pathmend.index_segments (project_id, model_id, segment, after, covered, chunks, pages)
    values (${projectId}, ${modelId}, ${built.segment}, ${built.after}, ${built.covered}, ${built.chunks}, ${built.pages})
  `.execute(db);
}

/** Stops the use of a project's own indexes: its searches scan from now on. */
export async function deleteIndexSegments(db: Db, projectId: string): Promise<void> {
  await db.deleteFrom('pathmend.index_segments').where('project_id', '=', projectId).execute();
}
