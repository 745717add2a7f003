import { sql } from 'kysely';
import type { Scope } from '../../glossary.js';
import type { Db } from '../db.js';

/** One row of pathmend.admit; see db/functions/admit.sql. */
export interface Admission {
  outcome: 'ok' | 'unknown' | 'forbidden' | 'limited';
  reason: 'plan' | 'access' | 'scope' | null;
  project_id: string;
  key_id: string;
  is_test: boolean;
  /** The model that answers the project's searches. Null before the project's first page is indexed. */
  model_id: number | null;
  /** bigint, as text. */
  index_version: string;
  burst: number;
  tokens: number;
  rate: number;
}

/** What is asked of a key's bucket. */
export interface TokenRequest {
  /** Requests that wait for a token each. */
  waiting: number;
  /** Tokens for requests to come. */
  ahead: number;
  /** Tokens of an earlier call that nobody used, and when the oldest of them was granted. */
  returned: number;
  returnedFrom: Date | null;
}

export interface TokenGrant extends Admission {
  /** Tokens taken: for the waiting requests first. */
  granted: number;
  /** By the database's clock, to be given back with what is returned. */
  granted_at: Date | null;
  /** Seconds until the key expires; null: never. */
  expires_in: number | null;
}

/**
 * Each scope has a bucket of its own: reads and writes.
 * @param process who may hold a lease on the answer; null: nobody.
 */
export async function admit(
  db: Db,
  keyHash: Buffer,
  scope: Scope,
  ask: TokenRequest,
  process: string | null = null,
): Promise<TokenGrant> {
  const { rows } = await sql<TokenGrant>`
    select * from pathmend.admit(${keyHash}, ${scope}, ${scope},
                                 ${ask.waiting}, ${ask.ahead}, ${ask.returned}, ${ask.returnedFrom},
                                 ${process})`.execute(db);
  const row = rows[0];
  if (!row) throw new Error('admit returned no row');
  return row;
}

/** For how many milliseconds another process may still hold a lease from before this call. */
export async function leasedElsewhere(db: Db, projectId: string, process: string): Promise<number> {
  const { rows } = await sql<{ ms: number }>`
    select pathmend.leased_elsewhere(${projectId}, ${process}) as ms`.execute(db);
  return rows[0]?.ms ?? 0;
}

/** A bucket that is full again means the same as no bucket. */
export async function dropIdleBuckets(db: Db): Promise<void> {
  await sql`delete from pathmend.rate_buckets where updated_at < now() - interval '1 day'`.execute(db);
}
