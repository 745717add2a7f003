import pg from 'pg';
import { SessionClient, type PooledClient, prepareConnection } from './session-client.js';
import { isConnectionRefused } from './database-errors.js';
import { DatabaseBusy, watchDeadline } from './deadline.js';
import { loginOf, type DatabaseUrl } from './login.js';
import { refuseInsideTransaction } from './inside-transaction.js';
import { ServerSession, type QueryOptions, type Session, type Terms, TransactionSession } from './session.js';
import type { PoolStats } from '../../telemetry/gauges.js';
import { currentScope } from '../../telemetry/tracing.js';
import type { ConnectionSettings } from './session-settings.js';

export interface SessionPoolOptions {
  url: DatabaseUrl;
  max: number;
  applicationName: string;
  /** Called when an idle connection broke and is replaced. Without a listener pg ends the process (pg issue 2641). */
  onIdleError: (error: Error) => void;
  /** The settings that each connection makes. The server may refuse some, which changes nothing else. */
  settings?: readonly ConnectionSettings[];
  /** Whether each connection has its own session, unless a pooler shares them. The embedded database has one. */
  ownSessions?: boolean;
}

/** The options of a pool as plain data, which goes to another thread. The url may hold a password. */
export interface PoolAddress {
  url: string;
  applicationName: string;
  settings: readonly ConnectionSettings[];
  ownSessions: boolean;
  keepsSessions: boolean;
}

/** The max time that a caller waits for a connection that another one has, or for a new one. */
const MAX_WAIT_MS = 10_000;
/** After a refusal, the pool makes do with its connections for this time before it asks for another. */
const REFUSED_FOR_MS = 10_000;

/** Checks out sessions. Inside a transaction that could hang, so it fails: {@link ConnectionInsideTransaction}. */
export class SessionPool {
  private readonly pool: pg.Pool;
  private readonly options: SessionPoolOptions;
  /** The connections of the pool, without those that it is still making. */
  private readonly connections = new Set<pg.PoolClient>();
  private refusal: Error | undefined;
  private refusedAt = -Infinity;
  readonly ownSessions: boolean;
  /** The time when a session last had an answer, in monotonic milliseconds. */
  private answeredAt = -Infinity;
  /** The time when a statement last ended without an answer, while no other statement had one. */
  private silentAt = -Infinity;
  private readonly roundTrips = new Map<string, number>();
  private lent = 0;
  private waitedMs = 0;
  /** Whether a pooler in between, if there is one, is known to give each connection its own session (connect.ts). */
  keepsSessions = false;

  constructor(options: SessionPoolOptions) {
    const { url, max, applicationName, onIdleError, settings = [], ownSessions = false } = options;
    this.options = options;
    this.ownSessions = ownSessions;
    // The pool waits for this promise, and makes clients of our class.
    const onConnect = (client: pg.ClientBase): Promise<void> =>
      prepareConnection(client as SessionClient, settings, this.keepsSessions);
    this.pool = new pg.Pool({
      ...loginOf(url),
      // eslint-disable-next-line @typescript-eslint/no-misused-promises -- pg's types do not say that it is awaited
      ...(ownSessions && { onConnect }),
      max,
      Client: SessionClient,
      // A client sends a statement while earlier ones of its session are in flight.
      pipeline: true,
      application_name: applicationName,
      connectionTimeoutMillis: MAX_WAIT_MS,
      idleTimeoutMillis: 30_000,
      // A peer that vanished is noticed after 10 s of silence and ten keep-alive packets.
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    });
    const plansOfAll: SessionClient['plans'] = { from: 0 };
    this.pool.on('error', onIdleError);
    // The pool also removes a connection that was cut while it was being prepared, and that was never counted.
    this.pool.on('remove', (client) => this.connections.delete(client));
    // The pool listens to idle connections only. Without this listener, one that breaks during a transaction would end
    // the process. Its user sees the query fail, and the pool drops the connection when it is given back.
    this.pool.on('connect', (client) => {
      this.connections.add(client);
      this.refusal = undefined;
      // The embedded database keeps all connections' statements in its one session (embedded/prepared-statements.ts).
      if (!ownSessions) Object.assign(client, { keepsPlans: true, plans: plansOfAll });
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
        (ms) => this.isSilent(ms, session !== undefined),
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

  /**
   * Whether the database seems to answer no caller. An answer in the first half of the wait does not show that the
   * database still works. A connection that takes long to be made does not show that the database is away: a server at
   * a limit may refuse after many seconds. So only a statement without an answer shows it, until the next answer.
   */
  private isSilent(waitedMs: number, hasSession: boolean): boolean {
    const isConnecting = this.refusal !== undefined || this.pool.totalCount > this.connections.size;
    if (!hasSession && isConnecting && this.silentAt <= this.answeredAt) return false;
    const now = performance.now();
    if (now - this.answeredAt <= waitedMs / 2) return false;
    if (hasSession) this.silentAt = now;
    return true;
  }

  private async connected(): Promise<PooledClient> {
    const from = performance.now();
    try {
      for (;;) {
        this.pool.options.max = this.refused ? Math.max(1, this.connections.size) : this.options.max;
        try {
          return (await this.pool.connect()) as PooledClient;
        } catch (error) {
          this.waitOrThrow(error, from);
        }
      }
    } finally {
      this.lent++;
      this.waitedMs += performance.now() - from;
    }
  }

  /**
   * Returns where the database refuses one more connection: then the caller waits for a connection of the pool. Throws
   * other errors, and throws when that wait is over or the pool has no connection.
   */
  private waitOrThrow(error: unknown, from: number): void {
    const isFull = error instanceof Error && error.message === 'timeout exceeded when trying to connect';
    if (isFull && performance.now() - this.answeredAt < MAX_WAIT_MS / 2)
      throw new DatabaseBusy(`all connections were in use for ${MAX_WAIT_MS} ms`);
    if (!isConnectionRefused(error)) throw error;
    this.refusal = error;
    // A refusal is an answer, too: for a caller that waits until its deadline, the database is busy, not dead.
    this.answeredAt = this.refusedAt = performance.now();
    if (this.connections.size === 0 || performance.now() - from > MAX_WAIT_MS) throw error;
  }

  /** The last refusal of one more connection, if it was within ten seconds and no connection was made since. */
  get refused(): Error | undefined {
    return performance.now() - this.refusedAt < REFUSED_FOR_MS ? this.refusal : undefined;
  }

  private lend(client: PooledClient, terms: Terms, release: () => void): Session {
    const answer = (): number => (this.answeredAt = performance.now());
    const roundTrip = (): void => {
      const operation = terms.operation ?? currentScope()?.operation ?? 'other';
      this.roundTrips.set(operation, (this.roundTrips.get(operation) ?? 0) + 1);
    };
    const isOwn = this.ownSessions && !client.isDistributed && (!client.isPooled || this.keepsSessions);
    return new (isOwn ? ServerSession : TransactionSession)(client, terms, { release, answer, roundTrip });
  }

  /** Runs a statement for all projects, or several in one text: pg-boss sends whole transactions. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- as in pg: the caller knows the rows
  async query<Row extends pg.QueryResultRow = any>(text: string, values?: unknown[], options?: QueryOptions) {
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

  /** The address with which another thread opens a pool. */
  get address(): PoolAddress {
    const { url, applicationName, settings = [], ownSessions = false } = this.options;
    const urlNow = typeof url === 'string' ? url : url();
    return { url: urlNow, applicationName, settings, ownSessions, keepsSessions: this.keepsSessions };
  }

  stats(): PoolStats {
    const { totalCount, idleCount, waitingCount } = this.pool;
    const { lent, waitedMs, roundTrips } = this;
    const now = { total: totalCount, idle: idleCount, waiting: waitingCount, max: this.options.max };
    return { ...now, lent, waitedSeconds: waitedMs / 1_000, roundTrips };
  }

  async close(): Promise<void> {
    if (!this.pool.ending) await this.pool.end();
  }
}
