import { sql } from 'kysely';
import type { Scope } from '../../glossary.js';
import type { Db } from '../db.js';

/** What says which answers are as new as a project's index. */
export interface IndexFacts {
  /** Null before the project's first page is indexed. */
  model_id: number | null;
  /** bigint, as text. */
  index_version: string;
}

/** One row of pathmend.admit; see db/functions/admit.sql. */
export interface Admission extends IndexFacts {
  outcome: 'ok' | 'unknown' | 'forbidden' | 'limited';
  reason: 'plan' | 'access' | 'scope' | null;
  project_id: string;
  key_id: string;
  is_test: boolean;
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

/** Each scope has a bucket of its own: reads and writes. */
export async function admit(db: Db, keyHash: Buffer, scope: Scope, ask: TokenRequest): Promise<TokenGrant> {
  const { rows } = await sql<TokenGrant>`
    select * from pathmend.admit(${keyHash}, ${scope}, ${scope},
                                 ${ask.waiting}, ${ask.ahead}, ${ask.returned}, ${ask.returnedFrom})`.execute(db);
  const row = rows[0];
  if (!row) throw new Error('admit returned no row');
  return row;
}

/**
 * The same as {@link admit} says of a project's index, for a request that was admitted before. Of a deleted project: no
 * model, no version.
 */
export async function readIndexFacts(db: Db, projectId: string): Promise<IndexFacts> {
  const { rows } = await sql<IndexFacts>`
    select p.model_id, coalesce(v.version, 1) as index_version
      from pathmend.projects p left join pathmend.index_versions v on v.project_id = p.project_id
     where p.project_id = ${projectId}`.execute(db);
  return rows[0] ?? { model_id: null, index_version: '0' };
}
