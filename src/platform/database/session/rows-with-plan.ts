import { CompiledQuery } from 'kysely';
import type { Db } from '../db.js';
import type { Sql } from '../sql.js';
import type { QueryOptions } from './session.js';

/** Runs a statement with a choice of how it is planned. */
export async function rowsWithPlan<Row>(db: Db, statement: Sql<Row>, plan: QueryOptions['plan']): Promise<Row[]> {
  const query: CompiledQuery<Row> & QueryOptions = { ...statement.compile(), plan };
  return (await db.executeQuery<Row>(query)).rows;
}

/** Runs a statement of pg-boss, whose plan is kept: to read and to plan its insert takes twice as long as to run it. */
export async function rowsOfKept(db: Db, text: string, values: readonly unknown[] = []): Promise<unknown[]> {
  const query: CompiledQuery & QueryOptions = { ...CompiledQuery.raw(text, [...values]), plan: 'generic' };
  return (await db.executeQuery(query)).rows;
}
