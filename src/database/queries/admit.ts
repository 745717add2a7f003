import { sql } from 'kysely';
import type { Scope } from '../../glossary.js';
import type { Db } from '../connect.js';

/** One row of pathmend.admit; see db/functions/admit.sql. */
export interface Admission {
  outcome: 'ok' | 'unknown' | 'forbidden' | 'limited';
  reason: 'plan' | 'access' | 'scope' | null;
  project_id: string;
  key_id: string;
  is_test: boolean;
  /** Null before the project's first page is indexed. */
  model_id: number | null;
  /** bigint, as text. */
  index_version: string;
  burst: number;
  tokens: number;
  rate: number;
}

/** Each scope has a bucket of its own: reads and writes. */
export async function admit(db: Db, keyHash: Buffer, scope: Scope): Promise<Admission> {
  const { rows } = await sql<Admission>`select * from pathmend.admit(${keyHash}, ${scope}, ${scope})`.execute(db);
  const row = rows[0];
  if (!row) throw new Error('admit returned no row');
  return row;
}
