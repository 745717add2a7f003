import { query, sql } from '../../platform/database/sql.js';
import type { Scope } from '../../base/glossary.js';
import type { Db } from '../../platform/database/db.js';

/** One row of pathmend.admit; see db/functions/admit.sql. */
export interface Admission {
  outcome: 'ok' | 'unknown' | 'forbidden' | 'limited';
  reason: 'plan' | 'access' | 'scope' | null;
  project_id: string;
  key_id: string;
  is_test: boolean;
  /** The model that answers the project's searches. Null before the project's first page is indexed. */
  model_id: number | null;
  /** A bigint comes as text. */
  index_version: string;
  burst: number;
  tokens: number;
  rate: number;
}

/** The tokens that a process requests for a key. */
export interface TokenRequest {
  /** The number of waiting requests; each needs a token. */
  waiting: number;
  /** Tokens for future requests. */
  ahead: number;
  /** Unused tokens of earlier calls, and when the oldest was granted. */
  returned: number;
  returnedFrom: Date | null;
}

export interface TokenGrant extends Admission {
  /** The number of granted tokens. The waiting requests get them first. */
  granted: number;
  /** The database's clock gave this time; a later call sends it as `returnedFrom`. */
  granted_at: Date | null;
  /** Seconds until the key expires; null if never. */
  expires_in: number | null;
}

/**
 * Admits requests of a key. Reads and writes have separate buckets; rules take from that of writes.
 * @param process the process that gets a lease on the answer; null for no lease.
 */
export async function admit(db: Db, keyHash: Buffer, scope: Scope, ask: TokenRequest, process: string | null = null) {
  const row = await query(sql<TokenGrant>`
    select * from pathmend.admit(${keyHash}, ${scope}, ${scope === 'read' ? 'read' : 'write'},
                                 ${ask.waiting}, ${ask.ahead}, ${ask.returned}, ${ask.returnedFrom},
                                 ${process})`).first(db);
  if (!row) throw new Error('admit returned no row');
  return row;
}

/** Returns for how many more milliseconds another process may hold a lease from before this call. */
export async function leasedElsewhere(db: Db, projectId: string, process: string): Promise<number> {
  return query(sql<{ ms: number }>`
    select pathmend.leased_elsewhere(${projectId}, ${process}) as ms`).value(db, 'ms', 0);
}

/** A full bucket is equivalent to no bucket. */
export async function dropIdleBuckets(db: Db): Promise<void> {
  const aDayAgo = sql<Date>`now() - interval '1 day'`;
  await db.deleteFrom('pathmend.rate_buckets').where('updated_at', '<', aDayAgo).execute();
}
