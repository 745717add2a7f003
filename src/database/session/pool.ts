import pg from 'pg';
import { SessionClient, type PooledClient } from './client.js';
import { watchDeadline } from './deadline.js';
import { EmbeddedSession } from './embedded-session.js';
import { refuseInsideTransaction } from './inside-transaction.js';
import { ServerSession } from './server-session.js';
import type { QueryOptions, Session, Terms } from './session.js';

export interface SessionPoolOptions {
  url: string;
  /** Connections at most. */
  max: number;
  applicationName: string;
  /** An idle connection broke; the pool replaces it. Without a listener, pg would end the process (pg issue 2641). */
  onIdleError: (error: Error) => void;
  /** Statements that each new connection begins with; one that the server does not know changes nothing. */
  settings?: readonly string[];
  /** Each connection has a session of its own; all connections to the embedded database share one. */
  ownSessions?: boolean;
}

/** Lends sessions. What would otherwise hang it refuses at once, by name: {@link ConnectionInsideTransaction}. */
export class SessionPool {
  private readonly pool: pg.Pool;
  private readonly ownSessions: boolean;
  /** When a session last had an answer, in monotonic milliseconds. */
  private answeredAt = -Infinity;

  constructor({ url, max, applicationName, onIdleError, settings = [], ownSessions = false }: SessionPoolOptions) {
    this.ownSessions = ownSessions;
    this.pool = new pg.Pool({
      connectionString: url,
      max,
      Client: SessionClient,
      // A statement is sent while earlier ones of its session are under way.
      pipeline: true,
      application_name: applicationName,
      connectionTimeoutMillis: 10_000,
      idleTimeoutMillis: 30_000,
      // A peer that vanished without a word is noticed by whoever waits for it, after 10 s of silence and ten probes.
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    });
    this.pool.on('error', onIdleError);
    // The pool listens to idle connections only: one that breaks while a transaction has it would end the process.
    // Whoever uses it hears of it by the failure of its query; the pool throws it away when it is given back.
    this.pool.on('connect', (client) => {
      client.on('error', () => undefined);
      // Goes ahead of the first query of whoever asked for the connection, who hears by that one if it is broken.
      for (const statement of settings) client.query(statement).catch(() => undefined);
    });
  }

  async take(terms: Terms = {}): Promise<Session> {
    refuseInsideTransaction();
    terms.signal?.throwIfAborted();
    const connecting = this.pool.connect() as Promise<PooledClient>;
    if (terms.withinMs === undefined && !terms.signal) return this.lend(await connecting, terms, () => undefined);
    return new Promise((resolve, reject) => {
      let session: Session | undefined;
      let isOver = false;
      const callOff = watchDeadline(
        terms,
        () => this.answeredAt,
        (why, reason) => {
          isOver = true;
          if (!session) reject(reason);
          // What the embedded database is at goes on, and nothing is gained by a broken connection.
          else if (why === 'late' || this.ownSessions) session.break(reason);
        },
      );
      connecting.then(
        (client) => {
          if (isOver) client.release();
          else resolve((session = this.lend(client, terms, callOff)));
        },
        (error: unknown) => {
          callOff();
          reject(error instanceof Error ? error : new Error(String(error)));
        },
      );
    });
  }

  private lend(client: PooledClient, terms: Terms, release: () => void): Session {
    const answer = (): void => {
      this.answeredAt = performance.now();
    };
    return new (this.ownSessions ? ServerSession : EmbeddedSession)(client, terms, { release, answer });
  }

  /** A statement for all projects, or several in one text: pg-boss sends whole transactions so. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- as pg has it: whoever asks knows the rows
  async query<Row extends pg.QueryResultRow = any>(
    text: string,
    values?: unknown[],
    options?: QueryOptions,
  ): Promise<pg.QueryResult<Row>> {
    const session = await this.take();
    try {
      const result = await session.query<Row>(text, values, options);
      session.release();
      return result;
    } catch (error) {
      session.release(true);
      throw error;
    }
  }

  /** A connection of pg's, for all projects and without a deadline: for scripts of many statements. */
  async connect(): Promise<pg.PoolClient> {
    const session = await this.take();
    try {
      // Whoever had it before may have been a tenant.
      await session.query('select');
      return session.client;
    } catch (error) {
      session.release();
      throw error;
    }
  }

  stats(): { total: number; idle: number; waiting: number } {
    const { totalCount, idleCount, waitingCount } = this.pool;
    return { total: totalCount, idle: idleCount, waiting: waitingCount };
  }

  async close(): Promise<void> {
    if (!this.pool.ending) await this.pool.end();
  }
}
