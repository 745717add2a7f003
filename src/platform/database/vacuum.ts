import { sql } from './sql.js';
import type { Db } from './db.js';

/** The tables with the most changes: the planner needs their sizes, and dead rows must go. */
const TABLES = [
  'pathmend.pages',
  'pathmend.indexed_pages',
  'pathmend.passages',
  'pathmend.vocabulary',
  'pathmend.moves',
  'pathmend.section_moves',
  'pathmend.tombstones',
  'pathmend.page_validators',
  'pathmend.own_weights',
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

/** Updates the planner's statistics. Without them it plans for three rows in a fresh index. */
export async function analyzeTables(db: Db): Promise<void> {
  for (const table of TABLES) await sql`analyze ${sql.table(table)}`.execute(db);
}

/** How many pages there were when the planner last heard of them: after `analyze`, or a vacuum. */
export async function countKnownPages(db: Db): Promise<number> {
  const { rows } = await sql<{ pages: number }>`
    select greatest(0, reltuples)::float8 as pages from pg_class where oid = 'pathmend.pages'::regclass`.execute(db);
  return rows[0]?.pages ?? 0;
}

/** Replaces autovacuum, which the embedded database does not have. Must not run in a transaction. */
export async function vacuumTables(db: Db): Promise<void> {
  for (const table of TABLES) await sql`vacuum (analyze) ${sql.table(table)}`.execute(db);
}
