import type { Db } from '../../platform/database/db.js';
import { rowsInOrder } from '../../platform/database/rows-in-order.js';
import { query, sql, type Sql } from '../../platform/database/sql.js';

const BATCH_ROWS = 5_000;

/** Reads the urls of some pages that can be found. */
export function samplePageUrls(db: Db, projectId: string, limit: number): Promise<string[]> {
  return query(sql<{ url: string }>`
    select p.url from pathmend.pages p
     where p.project_id = ${projectId} and p.status = 'INDEXED' order by p.page_id limit ${limit}`).column(db, 'url');
}

/** The number of pages whose hosts are read. A host that only later pages have is taken for another site's. */
const SAMPLED_FOR_HOSTS = 1_000;

/**
 * Reads the hosts of a project's pages, and of pages that were deleted. A rule to another host leads away from the
 * site; a rule to one of these hosts waits until its page is there.
 */
export async function readHosts(db: Db, projectId: string): Promise<Set<string>> {
  const hosts = await query(sql<{ host: string }>`
    select distinct split_part(u.url, '/', 3) as host
      from ((select p.url from pathmend.pages p where p.project_id = ${projectId}
              order by p.page_id limit ${SAMPLED_FOR_HOSTS})
            union all
            (select t.url from pathmend.tombstones t where t.project_id = ${projectId}
              limit ${SAMPLED_FOR_HOSTS})) as u`).column(db, 'host');
  return new Set(hosts);
}

/** Reads whether a project tells paths apart by case, and by a slash at the end. */
export async function readPathMatching(db: Db, projectId: string) {
  const project = db.selectFrom('pathmend.projects').select(['path_case', 'path_slash']);
  const matching = await project.where('project_id', '=', projectId).executeTakeFirst();
  return matching ?? { path_case: null, path_slash: null };
}

/** Reads the urls of all pages of a project, in the order of their ids. */
export async function* listPageUrls(db: Db, projectId: string): AsyncGenerator<string> {
  const pages = db.selectFrom('pathmend.pages').select(['page_id', 'url']).where('project_id', '=', projectId);
  const read = (after: string, limit: number) =>
    pages.where('page_id', '>', after).orderBy('page_id').limit(limit).execute();
  for await (const { url } of rowsInOrder(read, '', ({ page_id }) => page_id, BATCH_ROWS)) yield url;
}

export interface StoredNotFounds {
  /** The paths of 404s as they were reported, the most frequent first. */
  paths: { path: string; requests: number }[];
  /** Whether some paths or 404s were left out. */
  cut: boolean;
}

/** The maximum number of 404s that are read: a few seconds of work. */
const MAX_ROWS = 500_000;
const MAX_PATHS = 10_000;

/** A time range from `since` up to `until`, which is not in it; without `until`, up to now. */
export interface TimeRange {
  since: Date;
  until?: Date;
}

/** Reads the 404s that were met in a time range, without those of test keys. */
export async function readNotFounds(db: Db, projectId: string, { since, until }: TimeRange): Promise<StoredNotFounds> {
  const { rows } = await sql<{ path: string; requests: number; cut: boolean }>`
    with asked as materialized (
      select raw_path from pathmend.not_founds
       where project_id = ${projectId} and received_at >= ${since} and not is_test
         ${until === undefined ? sql`` : sql`and received_at < ${until} and (received_at at time zone 'UTC')::date <= (${until}::timestamptz at time zone 'UTC')::date`}
         -- The condition on the day selects the weekly partitions.
         and (received_at at time zone 'UTC')::date >= (${since}::timestamptz at time zone 'UTC')::date
       limit ${MAX_ROWS + 1}
    )
    select raw_path as path, count(*)::float8 as requests, (select count(*) > ${MAX_ROWS} from asked) as cut
      from asked group by raw_path order by count(*) desc, raw_path limit ${MAX_PATHS + 1}`.execute(db);
  return {
    paths: rows.slice(0, MAX_PATHS).map(({ path, requests }) => ({ path, requests })),
    cut: rows.length > MAX_PATHS || rows[0]?.cut === true,
  };
}

/** Finds indexed pages by their path keys; it returns the keys in hexadecimal. */
export function findIndexedUrls(db: Db, projectId: string, keys: readonly Buffer[]) {
  return query(sql<{ key: string; url: string }>`
    select encode(p.path_key, 'hex') as key, p.url from pathmend.pages p
     where p.project_id = ${projectId} and p.path_key = any (${keys}::bytea[])
       and exists (select from pathmend.indexed_pages x
                    where x.project_id = p.project_id and x.page_id = p.page_id and x.indexed_at is not null)
     order by p.page_id`).rows(db);
}

/** The expression of the index indexed_pages__section, for pages `x`. The order of the index is that of `using ~<~`. */
export const pathBeginning: Sql = sql`lower(left(x.path, 255))`;

/** A condition on pages `x`: their paths begin with the prefix, in any case, as far as the index has the paths. */
export function pathBeginsWith(prefix: string): Sql {
  const beginning = sql`lower(left(${prefix}::text, 255))`;
  // No character comes after chr(1114111).
  return sql`${pathBeginning} ~>=~ ${beginning} and ${pathBeginning} ~<~ (${beginning} || chr(1114111))`;
}

/**
 * A condition on the paths of pages: `prefix` is the literal beginning of what the POSIX expression matches, in any
 * case.
 */
export interface PathCondition {
  prefix: string;
  expression: string;
}

/** Counts the indexed pages whose paths match, `max` at most. */
export function countPagesLike(db: Db, projectId: string, { prefix, expression }: PathCondition, max: number) {
  return query(sql<{ count: number }>`
    select count(*)::int as count
      from (select from pathmend.indexed_pages x
             where x.project_id = ${projectId} and x.path ~* ${expression}
               and ${pathBeginsWith(prefix)}
             limit ${max}) as found`).value(db, 'count', 0);
}
