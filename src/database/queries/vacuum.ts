import { sql } from 'kysely';
import type { Db } from '../db.js';

/** What grows and changes most: the planner must know its size, and dead rows must go. */
const TABLES = [
  'pathmend.pages',
  'pathmend.indexed_pages',
  'pathmend.passages',
  'pathmend.vocabulary',
  'pathmend.moves',
  'pathmend.section_moves',
  'pathmend.index_versions',
  'pathmend.turns',
  'pathmend.rate_buckets',
  'pathmend.history_days',
  'pgboss.job',
];

/** Tells the planner how large the tables are. Without it, a fresh index is planned for as if it held three rows. */
export async function analyzeTables(db: Db): Promise<void> {
  for (const table of TABLES) await sql`analyze ${sql.table(table)}`.execute(db);
}

/** The embedded database has no autovacuum; this is its stand-in. Not inside a transaction. */
export async function vacuumTables(db: Db): Promise<void> {
  for (const table of TABLES) await sql`vacuum (analyze) ${sql.table(table)}`.execute(db);
}
