import type { Db } from './db.js';
import { sql } from './sql.js';

/** Creates the weekly partitions for the time between two moments. */
export async function ensureWeeks(db: Db, from: Date, to: Date): Promise<void> {
  await sql`select pathmend.ensure_weeks(${from}, ${to})`.execute(db);
}

export async function dropOldWeeks(db: Db, before: Date): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select * from pathmend.drop_old_weeks(${before}) as name`.execute(db);
  return rows.map((row) => row.name);
}
