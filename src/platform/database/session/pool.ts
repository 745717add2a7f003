import pg from '#pg';
import { SessionClient, type PooledClient } from './session-client.js';
import { watchDeadline } from './deadline.js';
import { loginOf, type DatabaseUrl } from './login.js';
import { refuseInsideTransaction } from './inside-transaction.js';
import { prepareConnection } from './prepare-connection.js';
import { ServerSession } from './server-session.js';
import type { QueryOptions, Session, Terms } from './session.js';
import type { PoolStats } from '../../telemetry/gauges.js';
import { currentScope } from '../../telemetry/scope.js';
import type { ConnectionSettings } from './session-settings.js';
import { TransactionSession } from './transaction-session.js';

export interface SessionPoolOptions {
  url: DatabaseUrl;
  /** Connections. */
  max: number;
  applicationName: string;
  /** An idle connection broke and is replaced. Without a listener, pg would end the process (pg issue 2641). */
  onIdleError: (error: Error) => void;
  /** What each connection sets. The server may refuse some; that changes nothing. */
  settings?: readonly ConnectionSettings[];
  /** Connections have sessions of their own, unless a pooler lends them. Those to the embedded database share one. */
  ownSessions?: boolean;
}

/** Lends sessions. A checkout inside a transaction could hang, so it fails: {@link ConnectionInsideTransaction}. */
export class SessionPool {
  private readonly pool: pg.Pool;
  readonly ownSessions: boolean;
  /** When a session last had an answer, in monotonic milliseconds. */
  private answeredAt = -Infinity;
  private readonly roundTrips = new Map<string, number>();
  private lent = 0;
  private waitedMs = 0;
  /** The pooler between, if there is one, is known to give each connection a session of its own (pooler.ts). */
  keepsSessions = false;

  constructor({ url, max, applicationName, onIdleError, settings = [], ownSessions = false }: SessionPoolOptions) {
    this.ownSessions = ownSessions;
    // The pool waits for it, and makes clients of our class.
    const onConnect = (client: pg.ClientBase): Promise<void> =>
      prepareConnection(client as SessionClient, settings, this.keepsSessions);
    this.pool = new pg.Pool({
      ...loginOf(url),
      // eslint-disable-next-line @typescript-eslint/no-misused-promises -- pg's types do not say that it is awaited
      ...(ownSessions && { onConnect }),
      max,
      Client: SessionClient,
      // Sends a statement while earlier ones of its session are in flight.
      pipeline: true,
      application_name: applicationName,
      connectionTimeoutMillis: 10_000,
      idleTimeoutMillis: 30_000,
      // A peer that vanished is noticed after 10 s of silence and ten keep-alive packets.
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    });
    this.pool.on('error', onIdleError);
    // The pool listens to idle connections only. Without this listener, one that breaks during a transaction would end
    // the process. Its user sees its query fail, and the pool drops it when it is given back.
    this.pool.on('connect', (client) => {
      // The embedded database keeps the statements of all connections in its one session
      // (embedded/prepared-statements.ts).
      if (!ownSessions) (client as pg.ClientBase as SessionClient).keepsPlans = true;
      client.on('error', () => undefined);
    });
  }

  async take(terms: Terms = {}): Promise<Session> {
    refuseInsideTransaction();
    terms.signal?.throwIfAborted();
    const connecting = this.connected();
    if (terms.withinMs === undefined && !terms.signal) return this.lend(await connecting, terms, () => undefined);
    return new Promise((resolve, reject) => {
      let session: Session | undefined;
      let isOver = false;
      const stopWatching = watchDeadline(
        terms,
        () => this.answeredAt,
        (why, reason) => {
          isOver = true;
          if (!session) reject(reason);
          // The embedded database finishes its statement in any case, so an abort breaks no connection of it.
          else if (why === 'late' || this.ownSessions) session.break(reason);
        },
      );
      connecting.then(
        (client) => {
          if (isOver) client.release();
          else resolve((session = this.lend(client, terms, stopWatching)));
        },
        (error: unknown) => {
          stopWatching();
          reject(error instanceof Error ? error : new Error(String(error)));
        },
      );
    });
  }

  private async connected(): Promise<PooledClient> {
    const from = performance.now();
    try {
      return (await this.pool.connect()) as PooledClient;
    } finally {
      this.lent++;
      this.waitedMs += performance.now() - from;
    }
  }

  private lend(client: PooledClient, terms: Terms, release: () => void): Session {
    const answer = (): void => {
      this.answeredAt = performance.now();
    };
    const roundTrip = (): void => {
      const operation = terms.operation ?? currentScope()?.operation ?? 'other';
      this.roundTrips.set(operation, (this.roundTrips.get(operation) ?? 0) + 1);
    };
    const isOwn = this.ownSessions && !client.isDistributed && (!client.isPooled || this.keepsSessions);
    return new (isOwn ? ServerSession : TransactionSession)(client, terms, { release, answer, roundTrip });
  }

  /** Runs a statement for all projects, or several in one text: pg-boss sends whole transactions. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- as in pg: the caller knows the rows
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

  /** A plain connection of pg, for all projects and without a deadline, for scripts of many statements. */
  async connect(): Promise<pg.PoolClient> {
    const session = await this.take();
    try {
      // Resets the settings of the tenant that may have had the session before.
      await session.query('select');
      return session.client;
    } catch (error) {
      session.release();
      throw error;
    }
  }

  stats(): PoolStats {
    const { totalCount, idleCount, waitingCount, options } = this.pool;
    const { lent, waitedMs, roundTrips } = this;
    const now = { total: totalCount, idle: idleCount, waiting: waitingCount, max: options.max };
    return { ...now, lent, waitedSeconds: waitedMs / 1_000, roundTrips };
  }

  async close(): Promise<void> {
    if (!this.pool.ending) await this.pool.end();
  }
}
