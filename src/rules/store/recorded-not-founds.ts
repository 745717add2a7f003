import { sql } from '../../platform/database/sql.js';
import type { Db } from '../../platform/database/db.js';

export interface StoredNotFounds {
  /** By path as it was reported, the most frequent first. */
  asked: { path: string; requests: number }[];
  /** Whether some were left out. */
  cut: boolean;
}

/** Read at most: a few seconds of work. */
const MAX_ROWS = 500_000;
const MAX_PATHS = 10_000;

/** The 404s that were met since a moment, without those of test keys. */
export async function readNotFounds(db: Db, projectId: string, since: Date): Promise<StoredNotFounds> {
  const { rows } = await sql<{ path: string; requests: number; cut: boolean }>`
    with asked as materialized (
      select raw_path from pathmend.not_founds
       where project_id = ${projectId} and received_at >= ${since} and not is_test
         -- The condition on the day selects the weekly partitions.
         and (received_at at time zone 'UTC')::date >= (${since}::timestamptz at time zone 'UTC')::date
       limit ${MAX_ROWS + 1}
    )
    select raw_path as path, count(*)::float8 as requests, (select count(*) > ${MAX_ROWS} from asked) as cut
      from asked group by raw_path order by count(*) desc, raw_path limit ${MAX_PATHS + 1}`.execute(db);
  return {
    asked: rows.slice(0, MAX_PATHS).map(({ path, requests }) => ({ path, requests })),
    cut: rows.length > MAX_PATHS || rows[0]?.cut === true,
  };
}

/** Indexed pages by their path keys, in hexadecimal. */
export async function findIndexedUrls(
  db: Db,
  projectId: string,
  keys: readonly Buffer[],
): Promise<{ key: string; url: string }[]> {
  const { rows } = await sql<{ key: string; url: string }>`
    select encode(p.path_key, 'hex') as key, p.url from pathmend.pages p
     where p.project_id = ${projectId} and p.path_key = any (${keys}::bytea[])
       and exists (select from pathmend.indexed_pages x where x.project_id = p.project_id and x.page_id = p.page_id)
     order by p.page_id`.execute(db);
  return rows;
}

/** Pages below a path: `prefix` is the literal beginning of what the POSIX expression matches, in any case. */
export interface PathPattern {
  prefix: string;
  expression: string;
}

/** How many indexed pages have such a path, `max` at most. */
export async function countPagesLike(
  db: Db,
  projectId: string,
  { prefix, expression }: PathPattern,
  max: number,
): Promise<number> {
  // Of the index indexed_pages__section; behind chr(1114111) no character comes.
  const beginning = sql`lower(left(x.path, 255))`;
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count
      from (select from pathmend.indexed_pages x
             where x.project_id = ${projectId} and x.path ~* ${expression}
               and ${beginning} ~>=~ lower(left(${prefix}::text, 255))
               and ${beginning} ~<~ (lower(left(${prefix}::text, 255)) || chr(1114111))
             limit ${max}) as found`.execute(db);
  return rows[0]?.count ?? 0;
}
