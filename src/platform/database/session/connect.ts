import { once } from 'node:events';
import { sql } from '../sql.js';
import type { Db, Trx } from '../db.js';
import { sqlState } from './database-errors.js';
import { databaseOf } from './driver.js';
import { asTransaction } from './inside-transaction.js';
import { SessionPool, type SessionPoolOptions } from './pool.js';

export type Connection = ReturnType<typeof connect>;

/** Opens a pool. Its `db` is the database with the rows of all projects, without a deadline. */
export function connect(options: SessionPoolOptions) {
  const pool = new SessionPool(options);
  return { db: databaseOf(pool, {}), pool, close: () => pool.close() };
}

/** The SQLSTATEs of serialization_failure and deadlock_detected: the transaction may be run again. */
const RETRYABLE = new Set(['40001', '40P01']);
const MAX_TRIES = 4;

/** The work that open transactions have for after their commit. */
const afterCommits = new WeakMap<Trx, (() => Promise<void>)[]>();

/** Has `work`, which must not fail, done once a transaction of {@link inTransaction} is committed. */
export function afterCommit(trx: Trx, work: () => Promise<void>): void {
  afterCommits.get(trx)?.push(work);
}

/**
 * Runs `work` in one transaction, and again if it lost a deadlock. Inside it, only the given transaction may be used: a
 * request to the pool for another connection fails with {@link ConnectionInsideTransaction}.
 */
export async function inTransaction<T>(db: Db, work: (trx: Trx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      const afterwards: (() => Promise<void>)[] = [];
      const result = await db.transaction().execute((trx) => {
        afterCommits.set(trx, afterwards);
        return asTransaction(() => work(trx));
      });
      for (const follow of afterwards) await follow();
      return result;
    } catch (error) {
      if (attempt >= MAX_TRIES || !RETRYABLE.has(sqlState(error) ?? '')) throw error;
    }
  }
}

/** Runs `work` like {@link inTransaction}; a wait of more than `ms` for a lock fails: {@link isLockTimeout}. */
export async function withLockTimeout<T>(db: Db, ms: number, work: (trx: Trx) => Promise<T>): Promise<T> {
  return inTransaction(db, async (trx) => {
    await sql`select set_config('lock_timeout', ${`${ms}ms`}, true)`.execute(trx);
    return work(trx);
  });
}

/** Whether a statement waited too long for a lock (lock_not_available). */
export function isLockTimeout(error: unknown): boolean {
  return sqlState(error) === '55P03';
}

/** A notification takes milliseconds, unless the server is very busy. */
const MAX_NOTIFICATION_MS = 3_000;

/**
 * Whether a connection keeps its session, as it does without a pooler, and with PgBouncer under `pool_mode = session`.
 * The test is what such a session is needed for: whether it receives a notification from another one.
 */
export async function keepsSessions(pool: SessionPool): Promise<boolean> {
  const probe = await pool.take();
  probe.release();
  if (!probe.client.isPooled) return true;
  const [listener, notifier] = await Promise.all([pool.take(), pool.take()]);
  const signal = AbortSignal.timeout(MAX_NOTIFICATION_MS);
  try {
    const heard = once(listener.client, 'notification', { signal }).then(
      () => true,
      () => false,
    );
    await listener.query('listen pathmend_session');
    await notifier.query('notify pathmend_session');
    return await heard;
  } finally {
    await listener.query('unlisten pathmend_session').catch(() => undefined);
    // These connections are closed: how a connection is prepared depends on the answer.
    listener.release(true);
    notifier.release(true);
  }
}
