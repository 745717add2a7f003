import { query, sql } from './sql.js';
import type { Db } from './db.js';

/** The tables with the most changes: the planner needs their sizes, and dead rows must be removed. */
const TABLES = [
  'pathmend.pages',
  'pathmend.indexed_pages',
  'pathmend.chunks',
  'pathmend.vocabulary',
  'pathmend.learned_redirects',
  'pathmend.clicked_questions',
  'pathmend.section_redirects',
  'pathmend.tombstones',
  'pathmend.page_validators',
  'pathmend.rules',
  'pathmend.rule_hits',
  'pathmend.rule_proposals',
  'pathmend.index_versions',
  'pathmend.turns',
  'pathmend.rate_buckets',
  'pathmend.history_days',
  'pathmend.rollups',
  'pathmend.waiting_links',
  'pathmend.not_found_days',
  'pathmend.missing_paths',
  'pathmend.path_days',
  'pathmend.referrer_weeks',
  'pathmend.search_days',
  'pathmend.position_days',
  'pathmend.empty_search_days',
  'pathmend.latency_days',
  'pathmend.not_found_hours',
  'pathmend.alerts',
  'pathmend.deliveries',
  'pgboss.job',
];

/** Updates the planner's statistics. Without them the planner expects three rows in a fresh index. */
export async function analyzeTables(db: Db): Promise<void> {
  for (const table of TABLES) await sql`analyze ${sql.table(table)}`.execute(db);
}

/** Returns the number of pages that the planner knows from the last `analyze` or vacuum. */
export async function countKnownPages(db: Db): Promise<number> {
  return query(sql<{ pages: number }>`
    select greatest(0, reltuples)::float8 as pages from pg_class where oid = 'pathmend.pages'::regclass
  `).value(db, 'pages', 0);
}

/** Replaces autovacuum, which the embedded database does not have. Must not run in a transaction. */
export async function vacuumTables(db: Db): Promise<void> {
  for (const table of TABLES) await sql`vacuum (analyze) ${sql.table(table)}`.execute(db);
}

/** Keeps the table statistics of the planner up to date while pages arrive. */
export type PlannerStatistics = ReturnType<typeof createPlannerStatistics>;

const MIN_PAGES = 100;

/**
 * Analyzes after the first hundred pages, then each time the index has grown by half. The embedded database has no
 * autovacuum, and the autovacuum of a server may wait a minute. Until then searches are planned for an empty index: one
 * scan of 18,500 chunks was sorted on disk. The size is read from the server: counted from the start of a worker, its
 * first 4,000 pages caused ten analyses of a million other pages, of five seconds each.
 */
export function createPlannerStatistics(db: Db) {
  let known = 0;
  let since = 0;
  return {
    async pagesStored(pages: number): Promise<void> {
      since += pages;
      if (since < Math.max(MIN_PAGES, known / 2)) return;
      const stored = since;
      since = 0;
      // On Citus, the statistics of the coordinator do not include the rows on its nodes.
      known = Math.max(known, await countKnownPages(db));
      if (stored < known / 2) {
        since += stored;
        return;
      }
      known += stored;
      await analyzeTables(db);
    },
  };
}

/** Creates the weekly partitions for the time between two moments. */
export async function ensureWeeks(db: Db, from: Date, to: Date): Promise<void> {
  await sql`select pathmend.ensure_weeks(${from}, ${to})`.execute(db);
}

export function dropOldWeeks(db: Db, before: Date): Promise<string[]> {
  return query(sql<{ name: string }>`select * from pathmend.drop_old_weeks(${before}) as name`).column(db, 'name');
}
