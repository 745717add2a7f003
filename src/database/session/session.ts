import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import pg from 'pg';
import type { PooledClient } from './client.js';
import type { Patience } from './deadline.js';

/** On what terms a session is lent. */
export interface Terms extends Patience {
  /** It sees and writes the rows of this project only; undefined: those of all. */
  projectId?: string | undefined;
}

export interface QueryOptions {
  /** `generic`: see generic-plan.ts. Inside a transaction, and on the embedded database, it is planned as all else. */
  plan?: 'generic' | undefined;
}

/** What the pool hears of a session. */
interface SessionEvents {
  release: () => void;
  /** The database answered a statement, whatever it said. */
  answer: () => void;
}

const CHANGES = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

/** A connection of the pool while it is lent to somebody. Kysely's queries and transactions run on it. */
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

  abstract query<Row extends pg.QueryResultRow>(
    text: string,
    values?: unknown[],
    options?: QueryOptions,
  ): Promise<pg.QueryResult<Row>>;

  async executeQuery<Row>({ sql, parameters, plan }: CompiledQuery & QueryOptions): Promise<QueryResult<Row>> {
    const { command, rowCount, rows } = await this.query(sql, [...parameters], { plan });
    return { rows: rows as Row[], ...(CHANGES.has(command) && { numAffectedRows: BigInt(rowCount ?? 0) }) };
  }

  streamQuery(): never {
    throw new Error('a session does not stream rows');
  }

  async begin(): Promise<void> {
    await this.query('begin');
    this.inTransaction = true;
  }

  async end(how: 'commit' | 'rollback'): Promise<void> {
    await this.query(how);
    this.inTransaction = false;
  }

  /** @param close it is not used again: what failed on it may have left a transaction open. */
  release(close = false): void {
    this.on.release();
    this.client.release(close || this.isBroken);
  }

  /** Whoever uses it hears the reason. It is not used again: nobody knows what it would still say. */
  break(reason: Error): void {
    this.isBroken = true;
    this.client.socket.destroy(reason);
  }

  /** In one flight with what was sent before: the pool's clients pipeline. */
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
