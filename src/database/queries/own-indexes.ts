import { sql } from 'kysely';
import type { Db } from '../db.js';

/** A project that is searched through indexes of its own; see pathmend.own_indexes. */
export interface OwnIndexes {
  project_id: string;
  model_id: number;
  /** Rows that arrived up to here are in them. */
  covered: string;
}

export async function listOwnIndexes(db: Db): Promise<OwnIndexes[]> {
  const { rows } = await sql<OwnIndexes>`select project_id, model_id, covered from pathmend.own_indexes`.execute(db);
  return rows;
}

export interface Growth {
  model_id: number;
  dimensions: number;
  /** Null where there are no indexes yet. */
  covered: string | null;
  /** Passages that they covered when they were built. */
  passages: number;
  /** Passages that arrived since, counted up to a limit. */
  uncovered: number;
}

/** How much of a project no index covers; undefined for a project without pages. Counts up to `limit` passages. */
export async function growthOf(db: Db, projectId: string, limit: number): Promise<Growth | undefined> {
  const { rows } = await sql<Growth>`
    select p.model_id, m.dimensions, o.covered, coalesce(o.passages, 0)::float8 as passages,
           (select count(*)::int from (
              select from pathmend.passages v
               where v.project_id = p.project_id and v.model_id = p.model_id and v.arrival > coalesce(o.covered, -1)
               limit ${limit}) as late) as uncovered
      from pathmend.projects p
      join pathmend.models m on m.model_id = p.model_id
      left join pathmend.own_indexes o on o.project_id = p.project_id and o.model_id = p.model_id
     where p.project_id = ${projectId}`.execute(db);
  return rows[0];
}

/** Projects whose indexes may be due: those with so many indexed pages, and those with indexes. */
export async function largeProjects(db: Db, pages: number): Promise<string[]> {
  const { rows } = await sql<{ project_id: string }>`
    select project_id from pathmend.indexed_pages group by project_id having count(*) >= ${pages}
    union select project_id from pathmend.own_indexes`.execute(db);
  return rows.map((row) => row.project_id);
}

/** Names begin with this; the rest is the project's id, what is indexed, and `covered`. */
const PREFIX = 'own_';

/**
 * Builds a project's indexes over all that has arrived by now, beside the traffic, and drops those they replace. On a
 * connection of its own, because memory for the build is set for the session. Takes minutes for a million passages.
 * @returns the place in the order of arrival up to which they reach.
 */
export async function buildOwnIndexes(db: Db, projectId: string, modelId: number, dimensions: number): Promise<string> {
  return db.connection().execute(async (session) => {
    const { rows } = await sql<{ covered: string; passages: string }>`
      select coalesce(max(arrival), 0) as covered, count(*) as passages from pathmend.passages
       where project_id = ${projectId} and model_id = ${modelId}`.execute(session);
    const { covered = '0', passages = '0' } = rows[0] ?? {};
    // A graph that does not fit is built on disk, many times slower; one passage takes about 3 bytes a dimension and 300.
    const memory = Math.min(2_000, Math.max(64, Math.ceil((Number(passages) * (dimensions * 3 + 300)) / 1e6)));
    await sql`select set_config('maintenance_work_mem', ${`${memory}MB`}, false)`.execute(session);
    // One core: the others go on answering. In a container, parallel builds also need shared memory that is not there.
    await sql`set max_parallel_maintenance_workers = 0`.execute(session);
    const mine = `project_id = '${checked(projectId)}' and arrival <= ${covered}`;
    const name = (what: string): string => `${PREFIX}${projectId.replaceAll('-', '')}_${what}_${covered}`;
    const build = async (what: string, on: string, where: string): Promise<void> => {
      await sql`drop index concurrently if exists ${sql.ref(`pathmend.${name(what)}`)}`.execute(session);
      // An index's condition takes no parameters. What it holds are a uuid that is looked at, and numbers of the database's own.
      // eslint-disable-next-line no-restricted-syntax
      await sql.raw(`create index concurrently ${name(what)} on pathmend.${on} where ${where}`).execute(session);
    };
    try {
      await build('vec', `passages using hnsw ((embedding::halfvec(${dimensions})) halfvec_ip_ops)`, `${mine} and model_id = ${modelId}`);
      await build('trm', 'page_terms using gin (pathmend.term_numbers(terms))', mine);
      await build('pth', 'indexed_pages using hnsw (path_trigrams bit_jaccard_ops)', mine);
      await build('slg', 'indexed_pages using hnsw (slug_trigrams bit_jaccard_ops)', mine);
    } finally {
      await sql`reset maintenance_work_mem`.execute(session);
      await sql`reset max_parallel_maintenance_workers`.execute(session);
    }
    await sql`
      insert into pathmend.own_indexes (project_id, model_id, covered, passages)
      values (${projectId}, ${modelId}, ${covered}, ${passages})
      on conflict (project_id, model_id) do update set covered = excluded.covered, passages = excluded.passages, built_at = now()`.execute(session);
    await sql`delete from pathmend.own_indexes where project_id = ${projectId} and model_id <> ${modelId}`.execute(session);
    return covered;
  });
}

/** Takes a project's own indexes out of use: it is scanned from now on. */
export async function forgetOwnIndexes(db: Db, projectId: string): Promise<void> {
  await sql`delete from pathmend.own_indexes where project_id = ${projectId}`.execute(db);
}

/** Drops what is left of a project's indexes that were replaced, forgotten or never finished; returns how many. */
export async function dropUnusedIndexes(db: Db, projectId: string): Promise<number> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'pathmend'
     where c.relkind = 'i' and starts_with(c.relname, ${PREFIX + projectId.replaceAll('-', '')})
       and split_part(c.relname, '_', 4) <> all (array(
         select o.covered::text from pathmend.own_indexes o where o.project_id = ${projectId}))`.execute(db);
  for (const { name } of rows) await sql`drop index concurrently if exists ${sql.ref(`pathmend.${name}`)}`.execute(db);
  return rows.length;
}

/** Projects that are gone and have left indexes behind. */
export async function projectsThatLeftIndexes(db: Db): Promise<string[]> {
  const { rows } = await sql<{ project_id: string }>`
    select distinct split_part(c.relname, '_', 2)::uuid::text as project_id
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'pathmend'
     where c.relkind = 'i' and c.relname ~ ${`^${PREFIX}[0-9a-f]{32}_`}
       and not exists (select from pathmend.projects p where replace(p.project_id::text, '-', '') = split_part(c.relname, '_', 2))`.execute(db);
  return rows.map((row) => row.project_id);
}

/** It becomes part of a statement's text. */
function checked(projectId: string): string {
  if (!/^[0-9a-f-]{36}$/.test(projectId)) throw new Error('a project id is not a uuid');
  return projectId;
}
