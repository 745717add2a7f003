import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Db, Trx } from '../db.js';
import { asTransaction, GuardedPool } from './guarded-pool.js';
import { PlanKeepingClient } from './kept-plans.js';
import type { Database } from '../tables.js';

export interface Connection {
  db: Db;
  pool: GuardedPool;
  close(): Promise<void>;
}

export interface ConnectOptions {
  url: string;
  /** Connections at most. */
  max: number;
  applicationName: string;
  /** An idle connection broke; the pool replaces it. Without a listener, pg would end the process (pg issue 2641). */
  onIdleError: (error: Error) => void;
  /** Statements that each new connection begins with; one that the server does not know changes nothing. */
  settings?: readonly string[];
  /** Each connection has a session of its own, which keeps plans (kept-plans.ts) and can be stopped (cancel.ts). */
  ownSessions?: boolean;
}

export function connect(options: ConnectOptions): Connection {
  const ownSessions = options.ownSessions === true;
  const pool = new GuardedPool(
    {
      connectionString: options.url,
      max: options.max,
      Client: ownSessions ? PlanKeepingClient : pg.Client,
      // A statement is sent while earlier ones of its session are under way: see sendAhead, and transactions of
      // tenants.
      pipeline: true,
      application_name: options.applicationName,
      connectionTimeoutMillis: 10_000,
      idleTimeoutMillis: 30_000,
      // A peer that vanished without a word is noticed by whoever waits for it, after 10 s of silence and ten probes.
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    },
    ownSessions,
  );
  pool.on('error', options.onIdleError);
  // The pool listens to idle connections only: one that breaks while a transaction has it would end the process.
  // Whoever uses it hears of it by the failure of its query; the pool throws it away when it is given back.
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    // Goes ahead of the first query of whoever asked for the connection, who hears by that one if it is broken.
    for (const statement of options.settings ?? []) client.query(statement).catch(() => undefined);
  });
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
  return {
    db,
    pool,
    close: async () => {
      await db.destroy();
      // Kysely ends the pool only if it ran a query itself.
      if (!pool.ending) await pool.end();
    },
  };
}

/** serialization_failure, deadlock_detected: the transaction may simply be run again. */
const TRY_AGAIN = new Set(['40001', '40P01']);
const MOST_TRIES = 4;

/**
 * Runs `work` in one transaction, again if it lost a deadlock. Inside it, only the given transaction may be used:
 * anything that asks the pool for another connection fails with {@link ConnectionInsideTransaction}.
 */
export async function inTransaction<T>(db: Db, work: (trx: Trx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute((trx) => asTransaction(() => work(trx)));
    } catch (error) {
      if (attempt >= MOST_TRIES || !TRY_AGAIN.has(sqlState(error) ?? '')) throw error;
    }
  }
}

/**
 * Works through what may be much in transactions of `most` items each, so that none holds its locks for long: until one
 * finds fewer.
 * @param work does up to `most` of what is left and says how many it did.
 * @returns how many there were.
 */
export async function inPortions(db: Db, most: number, work: (trx: Trx) => Promise<number>): Promise<number> {
  let all = 0;
  for (let done = most; done >= most; all += done) done = await inTransaction(db, work);
  return all;
}

/** The SQLSTATE of an error from PostgreSQL, if it is one. */
export function sqlState(error: unknown): string | undefined {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return undefined;
}
