import { inOrderOfCitus } from '../citus.js';
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import pg from 'pg';
import type { PooledClient } from './session-client.js';
import type { WaitLimit } from './deadline.js';
import { traced } from './traced.js';
import { nameOf, plansAreOld, settingsFrom } from './session-settings.js';

/** The terms of a checkout: for which caller and until when a session is checked out. */
export interface Terms extends WaitLimit {
  /** The session sees and writes this project's rows only; undefined: all rows. */
  projectId?: string | undefined;
  /** The label of the operation for metrics, where the scope has no operation. Labels are our own names. */
  operation?: string | undefined;
  /** `generic`: generic plans for all statements and transactions (docs/evidence/decisions/0020-generic-plans.md). */
  plan?: Plan;
}

type Plan = 'generic' | undefined;

export interface QueryOptions {
  /** `generic`: this statement has a generic plan. In a transaction {@link Terms} decide, from its begin on. */
  plan?: Plan;
}

interface SessionEvents {
  release: () => void;
  /** Called when a statement is sent, together with its settings. */
  roundTrip: () => void;
  /** Called when the database answered a statement, with rows or an error. */
  answer: () => void;
}

const CHANGES = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

/** A connection during a checkout. Kysely's queries and transactions run on it. */
export abstract class Session implements DatabaseConnection {
  readonly client: PooledClient;
  protected readonly terms: Terms;
  protected inTransaction = false;
  protected isBroken = false;
  private readonly on: SessionEvents;

  constructor(client: PooledClient, terms: Terms, on: SessionEvents) {
    this.client = client;
    this.terms = terms;
    this.on = on;
  }

  protected abstract ask<Row extends pg.QueryResultRow>(
    text: string,
    values?: unknown[],
    plan?: Plan,
  ): Promise<pg.QueryResult<Row>>;

  query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = [], options: QueryOptions = {}) {
    this.on.roundTrip();
    const { processID: processId } = this.client as { processID?: number };
    const plan = this.inTransaction ? this.terms.plan : (options.plan ?? this.terms.plan);
    // A kept plan belongs to its text: with a comment, each request would make another plan.
    return traced(text, plan === 'generic', processId, (commented) => this.ask<Row>(commented, values, plan));
  }

  async executeQuery<Row>({ sql, parameters, plan }: CompiledQuery & QueryOptions): Promise<QueryResult<Row>> {
    const { command, rowCount, rows } = await this.query(sql, [...parameters], { plan });
    return { rows: rows as Row[], ...(CHANGES.has(command) && { numAffectedRows: BigInt(rowCount ?? 0) }) };
  }

  streamQuery(): never {
    throw new Error('a session does not stream rows');
  }

  async begin(): Promise<void> {
    this.on.roundTrip();
    await this.ask('begin');
    this.inTransaction = true;
  }

  async end(how: 'commit' | 'rollback'): Promise<void> {
    this.on.roundTrip();
    await this.ask(how);
    this.inTransaction = false;
  }

  /** @param close drops the connection: a failure may have left a transaction open. */
  release(close = false): void {
    this.on.release();
    this.client.release(close || this.isBroken);
  }

  /** Breaks the connection: its statements fail with the reason. Answers may be on their way: it is not used again. */
  break(reason: Error): void {
    this.isBroken = true;
    this.client.socket.destroy(reason);
  }

  /** Sends a query at once, without waiting for earlier statements: the pool's clients pipeline. */
  protected async send<Row extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<pg.QueryResult<Row>> {
    try {
      const result = await this.client.query<Row>(query);
      this.on.answer();
      return result;
    } catch (error) {
      if (error instanceof pg.DatabaseError) this.on.answer();
      throw error;
    }
  }
}

/** A connection with a session: settings are sent with the statement that needs them, and stay for later checkouts. */
export class ServerSession extends Session {
  protected override async ask<Row extends pg.QueryResultRow>(text: string, values: unknown[] = [], plan?: Plan) {
    const generic = plan === 'generic';
    // Inside a transaction the settings stay as they were when it began: a rollback would undo a change.
    const settings = this.inTransaction ? [] : this.settingsFor(generic || this.terms.plan === 'generic');
    const set = settings.length === 0 ? undefined : this.send({ text: settings.join('; ') });
    const answer = this.send<Row>(generic ? { name: nameOf(text), text, values } : { text, values });
    if (!set) return answer;
    set.catch(() => (this.isBroken = true));
    // If the settings failed, the statement ran without them: its result is discarded.
    return (await Promise.all([set, answer]))[1];
  }

  private settingsFor(generic: boolean): string[] {
    const { client, terms } = this;
    const wanted = { projectId: terms.projectId, withinMs: terms.withinMs, generic };
    const settings = settingsFrom(client.settings, wanted);
    client.settings = wanted;
    return generic ? [...settings, ...plansAreOld(client)] : settings;
  }
}

/**
 * A connection that keeps no session between transactions: all connections to the embedded database share one session,
 * a pooler gives each transaction another session, and Citus passes the settings of a transaction on to its nodes, but
 * not those of a session. Each transaction first sets what it needs until its end. Each single statement of a tenant,
 * or with a deadline, is such a transaction. So nothing is left behind for the next caller.
 */
export class TransactionSession extends Session {
  protected override async ask<Row extends pg.QueryResultRow>(text: string, values: unknown[] = [], plan?: Plan) {
    const { projectId, withinMs } = this.terms;
    const isBegin = text === 'begin';
    // Statements of pg-boss bring their own transactions, and some, such as `vacuum`, take none.
    const isBare = this.inTransaction || (projectId === undefined && withinMs === undefined && !isBegin);
    const generic = (isBegin ? this.terms.plan : plan) === 'generic' && this.client.keepsPlans;
    const query = generic && !isBegin ? { name: nameOf(text), text, values } : { text, values };
    if (isBare) return this.send<Row>(this.inTransaction ? query : { text, values });
    const begun = this.sendBegin(generic);
    if (isBegin) return (await begun).at(-1) as pg.QueryResult<Row>;
    // The statement and `commit` are sent together. If the beginning or the statement fails, `commit` rolls back.
    const rest = Promise.all([this.send<Row>(query), this.send({ text: 'commit' })]);
    rest.catch(() => undefined);
    // The beginning is awaited first: where it fails, later errors show only that the transaction is aborted.
    await begun;
    return (await rest)[0];
  }

  private sendBegin(generic: boolean): Promise<pg.QueryResult[]> {
    const { client, terms } = this;
    const settings = settingsFrom({}, { projectId: terms.projectId, withinMs: terms.withinMs, generic }, 'local');
    const texts = client.isDistributed
      ? inOrderOfCitus(settings, client.transactionSetup)
      : [['begin', ...client.transactionSetup, ...settings, ...(generic ? plansAreOld(client) : [])].join('; ')];
    return Promise.all(texts.map((text) => this.send({ text })));
  }
}
