import { AsyncLocalStorage } from 'node:async_hooks';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Db } from '../db.js';
import { requireUuid } from '../../text/uuid.js';
import { cancelWhatRuns } from './cancel.js';
import { takeWithin, type Patience, type Sessions } from './deadline.js';
import { sendAhead } from './sent-ahead.js';
import type { Database } from '../tables.js';

/** Set while the code inside a transaction runs, however deep. */
const insideTransaction = new AsyncLocalStorage<true>();
let transactions = 0;

/**
 * Marks all that `work` does as the inside of a transaction. Where there is none, nothing is watched: on Node 20 each
 * promise of the process pays for a store that is in use, which was an eighth of a cached answer's CPU.
 */
export async function asTransaction<Result>(work: () => Promise<Result>): Promise<Result> {
  transactions++;
  try {
    return await insideTransaction.run(true, work);
  } finally {
    if (--transactions === 0) insideTransaction.disable();
  }
}

/** A connection was asked for inside an open transaction: on the embedded database that waits for ever. */
export class ConnectionInsideTransaction extends Error {
  constructor() {
    super(
      'a second connection was asked for inside an open transaction: pass the transaction on instead of the database ' +
        '(the embedded database has one session, and a server runs out of connections the same way)',
    );
    this.name = 'ConnectionInsideTransaction';
  }
}

/** For what reaches the database past the pool and would not take part in the caller's transaction. */
export function refuseInsideTransaction(): void {
  if (insideTransaction.getStore()) throw new ConnectionInsideTransaction();
}

type Connected = (
  err: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: boolean | Error) => void,
) => void;

/** For whom a session is lent, and for how long at most. */
export interface Loan extends Patience {
  /** It sees and writes the rows of this project only, until it is given back; undefined: those of all. */
  projectId?: string | undefined;
}

/** The database over these connections, lent on these terms. Whoever made the pool ends it. */
export function databaseOf(pool: GuardedPool, loan: Loan): Db {
  return new Kysely<Database>({
    dialect: new PostgresDialect({ pool: { connect: () => pool.lend(loan), end: () => Promise.resolve() } }),
  });
}

/** Makes a session work for one project's rows; its text goes before whatever the session does next. */
export function becomeTenant(projectId: string, extent: '' | 'local'): string {
  return `${takeRole(extent)}; ${workFor(projectId, extent)}`;
}

function takeRole(extent: '' | 'local'): string {
  return `set ${extent} role pathmend_tenant`;
}

function workFor(projectId: string, extent: '' | 'local'): string {
  return `set ${extent} pathmend.project = '${requireUuid(projectId)}'`;
}

const BECOME_SERVICE = 'reset role; reset pathmend.project';

/** The server ends a statement so much later than whoever waits for it gives up: it would go on for nobody. */
const GRACE_MS = 1_000;

/** How a session was lent the last time, and how it is set still. */
type Standing = Pick<Loan, 'projectId' | 'withinMs'>;

/**
 * The pool refuses, at once and by name, what would otherwise hang: see {@link ConnectionInsideTransaction}. And it
 * knows for whom each session works: it lends them for all projects, or for one.
 */
export class GuardedPool extends pg.Pool {
  /** Sessions stay as they were lent when they come back: the next caller is often the same one's. */
  private readonly standings = new WeakMap<pg.PoolClient, Standing>();
  /** Each connection has a session of its own, whose statement can be stopped. Not those of the embedded database. */
  private readonly ownSessions: boolean;
  private heardAt = -Infinity;
  private readonly sessions: Sessions;

  constructor(options: pg.PoolConfig, ownSessions: boolean) {
    super(options);
    this.ownSessions = ownSessions;
    this.sessions = {
      heardAt: () => this.heardAt,
      end: (client, reason) => {
        if (ownSessions) cancelWhatRuns(client);
        client.connection.stream.destroy(reason);
      },
      canStop: ownSessions,
    };
    this.on('connect', (client) => {
      client.connection.on('readyForQuery', () => {
        this.heardAt = performance.now();
      });
    });
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.PoolClient> | undefined {
    if (!callback) return this.lend({});
    this.lend({}).then(
      (client) => {
        callback(undefined, client, client.release.bind(client));
      },
      (error: unknown) => {
        callback(error as Error, undefined, () => undefined);
      },
    );
    return undefined;
  }

  /**
   * Puts an idle session that stands as it is wanted where the pool takes the next one from: the end of its list.
   * The list is pg-pool's own business; where it has another form one day, sessions change hands more often, no more.
   */
  private prefer({ projectId, withinMs }: Standing): void {
    const idle = (this as unknown as { _idle?: { client: pg.PoolClient }[] })._idle;
    if (!Array.isArray(idle)) return;
    const works = ({ client }: { client: pg.PoolClient }): boolean =>
      this.standings.get(client)?.projectId === projectId;
    const stands = idle.findLastIndex((one) => works(one) && this.standings.get(one.client)?.withinMs === withinMs);
    const at = stands >= 0 ? stands : idle.findLastIndex(works);
    if (at >= 0 && at < idle.length - 1) idle.push(...idle.splice(at, 1));
  }

  async lend({ projectId, withinMs, signal }: Loan): Promise<pg.PoolClient> {
    refuseInsideTransaction();
    signal?.throwIfAborted();
    // Before a session is taken, which would be lost where this fails.
    const change = projectId === undefined ? BECOME_SERVICE : workFor(projectId, '');
    this.prefer({ projectId, withinMs });
    const connecting = super.connect();
    const client = await (withinMs === undefined && !signal
      ? connecting
      : takeWithin({ withinMs, signal }, connecting, this.sessions));
    const before = this.standings.get(client) ?? {};
    const settings: string[] = [];
    // A session that has worked for a tenant has the role already.
    if (before.projectId !== projectId)
      settings.push(before.projectId === undefined ? `${takeRole('')}; ${change}` : change);
    if (before.withinMs !== withinMs && this.ownSessions)
      settings.push(
        withinMs === undefined ? 'reset statement_timeout' : `set statement_timeout = ${withinMs + GRACE_MS}`,
      );
    if (settings.length === 0) return client;
    this.standings.set(client, { projectId, withinMs });
    return sendAhead(client, settings.join('; '));
  }
}
