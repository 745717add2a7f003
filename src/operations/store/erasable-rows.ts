import { query, sql } from '../../platform/database/sql.js';
import type { Db, Trx } from '../../platform/database/db.js';
import type { Erasure, PathSpellings } from '../../platform/database/path-spellings.js';

/** The tables with a partition for each week, in the order in which they are erased from. */
export type WeeklyTable = 'not_founds' | 'searches' | 'clicks';

const IDS = { not_founds: sql`event_id`, searches: sql`search_id`, clicks: sql`event_id` } as const;

interface ErasureBounds {
  id: string;
  search_id: string | null;
  path: string;
  referrer: string | null;
}

interface ErasableRows {
  /** The id of the last row that was looked at; undefined: no rows were left. */
  last: string | undefined;
  /** The ids of the rows to erase; `searchIds` are those of their searches. */
  ids: string[];
  searchIds: string[];
  /** The ids of the 404s that were linked from the path, but are not on it: only their referrer is erased. */
  links: string[];
}

/** Returns the name of a week in the names of its partitions: `2026w12`. */
export async function nameOfWeek(db: Db, week: string): Promise<string> {
  return query(sql<{ name: string }>`select to_char(${week}::date, 'IYYY"w"IW') as name`).value(db, 'name', '');
}

/** Looks at the next `limit` rows of one week's partition, after the id `after`. */
export async function findErasableRows(
  trx: Trx,
  projectId: string,
  erasure: Erasure,
  table: WeeklyTable,
  { partition, after, limit }: { partition: string; after: string; limit: number },
): Promise<ErasableRows> {
  const id = IDS[table];
  // This reads the partition itself. With a condition on the day, the planner may expect few rows, and sort them all.
  const partitionTable = sql.table(`pathmend.${table}_${partition}`);
  const path = table === 'searches' ? sql`input` : sql`raw_path`;
  const referrer = table === 'not_founds' ? sql`referrer` : sql`null::text`;
  const isOfKind = table === 'searches' ? sql`kind in ('suggest', 'proxy', 'not-found')` : sql`true`;
  // An address is kept as EVENT_IP_MODE leaves it: it is erased with the network that stands for it.
  const maybe =
    'ip' in erasure
      ? sql`visitor_ip && ${erasure.ip}::inet`
      : sql`${isOfKind} and (${erasure.path.mayBeIn(path)} or ${erasure.path.mayBeIn(referrer)})`;
  const { rows: chunks } = await sql<{ last: string | null; looked: ErasureBounds[] }>`
    with chunk as materialized (
      select ${id} as id, search_id, ${path} as path, ${referrer} as referrer, ${maybe} as maybe
        from ${partitionTable} where project_id = ${projectId} and ${id} > ${after} order by ${id} limit ${limit})
    select (select id from chunk order by id desc limit 1) as last,
           coalesce(jsonb_agg(to_jsonb(chunk) - 'maybe') filter (where maybe), '[]') as looked
      from chunk`.execute(trx);
  const { last = null, looked = [] } = chunks[0] ?? {};
  const meant = looked.filter((row) => 'ip' in erasure || erasure.path.include(row.path));
  const links =
    'ip' in erasure ? [] : looked.filter((row) => !meant.includes(row) && erasure.path.include(row.referrer));
  return {
    last: last ?? undefined,
    ids: meant.map((row) => row.id),
    searchIds: meant.flatMap((row) => row.search_id ?? []),
    links: links.map((row) => row.id),
  };
}

/** Counts the rows that the site's own people stored under a path, which no erasure of events deletes. */
export async function findOwnRows(db: Db, projectId: string, path: PathSpellings) {
  const count = async (table: string, column: string, also = sql`true`): Promise<number> => {
    const [ref, from] = [sql.ref(column), sql.table(`pathmend.${table}`)];
    const { rows } = await sql<{ text: string }>`
      select ${ref} as text from ${from} where project_id = ${projectId} and ${also} and ${path.mayBeIn(ref)}
    `.execute(db);
    return rows.filter(({ text }) => path.include(text)).length;
  };
  return {
    rules: await count('rules', 'path', sql`prefix is null`),
    pages: await count('pages', 'url'),
    tombstones: await count('tombstones', 'url'),
  };
}

/** Has the planner sample the tables again: what it keeps of them are examples of their values, also of erased ones. */
export async function sampleAgain(db: Db): Promise<void> {
  for (const table of [
    'not_founds',
    'searches',
    'clicks',
    'missing_paths',
    'referrer_weeks',
    'empty_search_days',
    'learned_redirects',
    'rules',
    'rule_changes',
    'audit_log',
  ])
    await sql`analyze ${sql.table(`pathmend.${table}`)}`.execute(db);
}
