import { sql } from '../../platform/database/sql.js';
import type { Db, Trx } from '../../platform/database/db.js';
import type { Erasure, PathSpellings } from './erasure.js';

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

interface Looked {
  id: string;
  search_id: string | null;
  path: string;
  referrer: string | null;
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
  const path = what === 'searches' ? sql`input` : sql`raw_path`;
  const referrer = what === 'not_founds' ? sql`referrer` : sql`null::text`;
  const ofKind = what === 'searches' ? sql`kind in ('suggest', 'proxy', 'not-found')` : sql`true`;
  // An address is kept as EVENT_IP_MODE leaves it: it is erased with the network that stands for it.
  const maybe =
    'ip' in erasure
      ? sql`visitor_ip && ${erasure.ip}::inet`
      : sql`${ofKind} and (${erasure.path.mayBeIn(path)} or ${erasure.path.mayBeIn(referrer)})`;
  const { rows: found } = await sql<{ last: string | null; looked: Looked[] }>`
    with chunk as materialized (
      select ${id} as id, search_id, ${path} as path, ${referrer} as referrer, ${maybe} as maybe
        from ${table} where project_id = ${projectId} and ${id} > ${after} order by ${id} limit ${maxRows})
    select (select id from chunk order by id desc limit 1) as last,
           coalesce(jsonb_agg(to_jsonb(chunk) - 'maybe') filter (where maybe), '[]') as looked
      from chunk`.execute(trx);
  const { last = null, looked = [] } = found[0] ?? {};
  const meant = looked.filter((row) => 'ip' in erasure || erasure.path.include(row.path));
  const ids = meant.map((row) => row.id);
  const searchIds = meant.flatMap((row) => row.search_id ?? []);
  const links =
    'ip' in erasure
      ? []
      : looked.filter((row) => !meant.includes(row) && erasure.path.include(row.referrer)).map((row) => row.id);
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

/** What the site's own people stored under a path, which no erasure of events takes away. */
export async function findOwnRows(
  db: Db,
  projectId: string,
  path: PathSpellings,
): Promise<{ rules: number; pages: number; tombstones: number }> {
  const count = async (table: string, column: string, also = sql`true`): Promise<number> => {
    const [ref, from] = [sql.ref(column), sql.table(`pathmend.${table}`)];
    const { rows } = await sql<{ text: string }>`
      select ${ref} as text from ${from} where project_id = ${projectId} and ${also} and ${path.mayBeIn(ref)}`.execute(
      db,
    );
    return rows.filter(({ text }) => path.include(text)).length;
  };
  return {
    rules: await count('rules', 'path', sql`prefix is null`),
    pages: await count('pages', 'url'),
    tombstones: await count('tombstones', 'url'),
  };
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
    'rules',
    'rule_changes',
    'audit_log',
  ])
    await sql`analyze ${sql.table(`pathmend.${table}`)}`.execute(db);
}
