import type { CompiledQuery, RawBuilder } from '#kysely';
import type { Db } from '../db.js';
import type { QueryOptions } from './session.js';

/** Runs a statement with a choice of how it is planned. */
export async function rowsWithPlan<Row>(
  db: Db,
  statement: RawBuilder<Row>,
  plan: QueryOptions['plan'],
): Promise<Row[]> {
  const query: CompiledQuery<Row> & QueryOptions = { ...statement.compile(db), plan };
  return (await db.executeQuery<Row>(query)).rows;
}
