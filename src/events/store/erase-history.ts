import { sql, type Sql } from '../../platform/database/sql.js';
import type { Db, Trx } from '../../platform/database/db.js';
import { isMeant, isPath, type Erasure } from './erasure.js';

export interface Erased {
  not_founds: number;
  searches: number;
  clicks: number;
  /** Events that waited to be stored, or that the database refused. */
  queued: number;
}

const IDS = { not_founds: sql`event_id`, searches: sql`search_id`, clicks: sql`event_id` } as const;

export interface ErasureOfWeek {
  projectId: string;
  erasure: Erasure;
  /** Its Monday, and the {@link nameOfWeek}. */
  week: string;
  name: string;
  maxRows: number;
}

export interface ForgottenRows {
  /** Of the rows that were looked at; undefined: there are no more. */
  last: string | undefined;
  erased: Omit<Erased, 'queued'>;
  /** Mondays of the weeks whose sums changed. */
  weeks: string[];
}

/** How the partitions of a week are named: `2026w12`. */
export async function nameOfWeek(db: Db, week: string): Promise<string> {
  const { rows } = await sql<{ name: string }>`select to_char(${week}::date, 'IYYY"w"IW') as name`.execute(db);
  return rows[0]?.name ?? '';
}

/**
 * Looks at the next rows of one week, behind the id `after`, and erases those that are meant, with the searches that
 * answered them and the clicks on these.
 */
export async function forgetRows(
  trx: Trx,
  { projectId, erasure, week, name, maxRows }: ErasureOfWeek,
  what: keyof typeof IDS,
  after: string,
): Promise<ForgottenRows> {
  const id = IDS[what];
  // The partition itself: of a condition on the day the planner may think that few rows meet it, and sort them all.
  const table = sql.table(`pathmend.${what}_${name}`);
  const meant = {
    not_founds: isMeant(erasure, sql`visitor_ip`, sql`raw_path`),
    searches: sql`kind in ('suggest', 'proxy', 'not-found') and ${isMeant(erasure, sql`null::inet`, sql`input`)}`,
    clicks: isMeant(erasure, sql`null::inet`, sql`raw_path`),
  }[what];
  const linked = what === 'not_founds' && 'path' in erasure ? isPath(erasure.path, sql`referrer`) : sql`false`;
  const { rows: found } = await sql<{ last: string | null; ids: string[]; search_ids: string[]; linked: string[] }>`
    with chunk as materialized (
      select ${id} as id, search_id, ${meant} as meant, ${linked} as linked
        from ${table} where project_id = ${projectId} and ${id} > ${after} order by ${id} limit ${maxRows})
    select (select id from chunk order by id desc limit 1) as last, coalesce(array_agg(id) filter (where meant), '{}') as ids,
           coalesce(array_agg(search_id) filter (where meant and search_id is not null), '{}') as search_ids,
           coalesce(array_agg(id) filter (where linked and meant is not true), '{}') as linked
      from chunk`.execute(trx);
  const { last = null, ids = [], search_ids: searchIds = [], linked: links = [] } = found[0] ?? {};
  if (links.length > 0)
    await sql`update ${table} set referrer = null where project_id = ${projectId} and ${id} = any (${links}::uuid[])`.execute(
      trx,
    );
  if (ids.length > 0)
    await sql`delete from ${table} where project_id = ${projectId} and ${id} = any (${ids}::uuid[])`.execute(trx);
  const named = await forgetSearches(trx, projectId, week, what === 'clicks' ? [] : searchIds);
  const erased = { not_founds: 0, searches: named.searches, clicks: named.clicks };
  erased[what] += ids.length;
  return { last: last ?? undefined, erased, weeks: ids.length + links.length > 0 ? [week, ...named.weeks] : [] };
}

/** Erases searches that are not far from a week, and what names them. */
async function forgetSearches(
  trx: Trx,
  projectId: string,
  week: string,
  ids: readonly string[],
): Promise<{ searches: number; clicks: number; weeks: string[] }> {
  if (ids.length === 0) return { searches: 0, clicks: 0, weeks: [] };
  const { rows: searches } = await sql<{ week: string }>`
    delete from pathmend.searches where project_id = ${projectId} and search_id = any (${ids}::uuid[])
       and (searched_at at time zone 'UTC')::date between ${week}::date - 8 and ${week}::date + 14
    returning date_trunc('week', searched_at at time zone 'UTC')::date::text as week`.execute(trx);
  const { rows: clicks } = await sql`
    delete from pathmend.clicks where project_id = ${projectId} and search_id = any (${ids}::uuid[]) returning 1`.execute(
    trx,
  );
  for (const table of ['counted_clicks', 'waiting_links'])
    await sql`
      delete from ${sql.table(`pathmend.${table}`)} where project_id = ${projectId} and search_id = any (${ids}::uuid[])`.execute(
      trx,
    );
  return { searches: searches.length, clicks: clicks.length, weeks: searches.map((row) => row.week) };
}

/** Takes an address out of the reports of pages that visitors did not find. */
export async function forgetReporter(trx: Trx, projectId: string, ip: string): Promise<void> {
  await sql`
    update pathmend.missing_pages
       set networks = array(select n from unnest(networks) as n where not n::inet && ${ip}::inet)
     where project_id = ${projectId} and exists (select from unnest(networks) as n where n::inet && ${ip}::inet)`.execute(
    trx,
  );
}

/** Takes a path out of what was made of 404s and clicks: reports, hits, cases of proposals, the history of rules. */
export async function forgetTraces(trx: Trx, projectId: string, path: string, key: Buffer): Promise<void> {
  const without = (list: Sql, field: string): Sql =>
    sql`coalesce((select jsonb_agg(e order by n) from jsonb_array_elements(${list}) with ordinality as l (e, n)
                   where not ${isPath(path, sql`e ->> ${field}::text`)}), '[]')`;
  await sql`
    update pathmend.missing_pages set networks = '{}', hours = '{}' where project_id = ${projectId} and path_key = ${key}`.execute(
    trx,
  );
  await sql`delete from pathmend.rule_hits where project_id = ${projectId} and rule_key = ${key}`.execute(trx);
  await sql`
    update pathmend.rule_proposals
       set evidence = ${without(sql`evidence`, 'from')}, examples = ${without(sql`examples`, 'path')}
     where project_id = ${projectId}`.execute(trx);
  await sql`
    update pathmend.rule_changes set rules = ${without(sql`rules`, 'path')}
     where project_id = ${projectId} and exists (select from jsonb_array_elements(rules) as e where ${isPath(path, sql`e ->> 'path'`)})`.execute(
    trx,
  );
}

/** Erases alerts about a path, and messages that name it. */
export async function forgetMessages(trx: Trx, projectId: string, path: string): Promise<void> {
  await sql`
    delete from pathmend.alerts where project_id = ${projectId} and ${isPath(path, sql`cause ->> 'path'`)}`.execute(
    trx,
  );
  await sql`
    delete from pathmend.deliveries where project_id = ${projectId}
       and exists (select from jsonb_path_query(message, '$.**.path') as p where ${isPath(path, sql`p #>> '{}'`)})`.execute(
    trx,
  );
}

/** What the site's own people stored under a path, which no erasure of events takes away. */
export async function findOwnRows(
  db: Db,
  projectId: string,
  path: string,
): Promise<{ rules: number; pages: number; tombstones: number }> {
  const count = (table: string, column: string, also = sql`true`): Sql => sql`
    (select count(*)::int from ${sql.table(`pathmend.${table}`)}
      where project_id = ${projectId} and ${also} and ${isPath(path, sql.ref(column))})`;
  const { rows } = await sql<{ rules: number; pages: number; tombstones: number }>`
    select ${count('moves', 'old_path', sql`source = 'redirect'`)} + ${count('waiting_redirects', 'old_path')}
           + ${count('gone_paths', 'path')} + ${count('ignored_paths', 'path')} as rules,
           ${count('pages', 'url')} as pages, ${count('tombstones', 'url')} as tombstones`.execute(db);
  return rows[0] ?? { rules: 0, pages: 0, tombstones: 0 };
}

/** What the planner remembers of tables are examples of their values: it looks at them again. */
export async function sampleAgain(db: Db): Promise<void> {
  for (const table of [
    'not_founds',
    'searches',
    'clicks',
    'missing_paths',
    'referrer_weeks',
    'empty_search_days',
    'moves',
  ])
    await sql`analyze ${sql.table(`pathmend.${table}`)}`.execute(db);
}
