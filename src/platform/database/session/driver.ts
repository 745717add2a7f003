import {
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type Dialect,
  type Driver,
  CompiledQuery,
} from 'kysely';
import type { Db, Database } from '../db.js';
import type { SessionPool } from './pool.js';
import type { Session, Terms, QueryOptions } from './session.js';
import type { Sql } from '../sql.js';

/** Gives Kysely sessions of the pool. The pool is closed by its owner. */
function createDriver(pool: SessionPool, terms: Terms): Driver {
  return {
    init: () => Promise.resolve(),
    acquireConnection: () => pool.take(terms),
    beginTransaction: (session: Session) => session.begin(),
    commitTransaction: (session: Session) => session.end('commit'),
    rollbackTransaction: (session: Session) => session.end('rollback'),
    releaseConnection: (session: Session) => {
      session.release();
      return Promise.resolve();
    },
    destroy: () => Promise.resolve(),
  };
}

/** An adapter that knows which kind of database it is for. */
export class SessionAdapter extends PostgresAdapter {
  readonly isEmbedded: boolean;

  constructor(isEmbedded: boolean) {
    super();
    this.isEmbedded = isEmbedded;
  }
}

/** Whether a database is the embedded one. WebAssembly is slow at other things than a server. */
export function isEmbedded(db: Db): boolean {
  const { adapter } = db.getExecutor();
  return adapter instanceof SessionAdapter && adapter.isEmbedded;
}

export function sessionDialect(pool: SessionPool, terms: Terms): Dialect {
  return {
    createDriver: () => createDriver(pool, terms),
    createAdapter: () => new SessionAdapter(!pool.ownSessions),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createIntrospector: (db) => new PostgresIntrospector(db),
  };
}

const origins = new WeakMap<Db, { pool: SessionPool; terms: Terms }>();

export function databaseOf(pool: SessionPool, terms: Terms): Db {
  const db = new Kysely<Database>({ dialect: sessionDialect(pool, terms) });
  origins.set(db, { pool, terms });
  return db;
}

/**
 * Returns the same database for transactions whose statements are many and always of the same few texts: each session
 * prepares and plans them once. No such plan may rest on a project's size
 * (docs/evidence/decisions/0020-generic-plans.md).
 */
export function keepingPlans(db: Db): Db {
  const origin = origins.get(db);
  return origin ? databaseOf(origin.pool, { ...origin.terms, plan: 'generic' }) : db;
}

/** Runs a statement with a choice of how it is planned. */
export async function rowsWithPlan<Row>(
  db: Db,
  statement: Sql<Row> | CompiledQuery<Row>,
  plan: QueryOptions['plan'],
): Promise<Row[]> {
  const compiled = 'sql' in statement ? statement : statement.compile(db);
  const query: CompiledQuery<Row> & QueryOptions = { ...compiled, plan };
  return (await db.executeQuery<Row>(query)).rows;
}

/** Runs a statement of pg-boss and keeps its plan: to parse and plan its insert takes twice as long as to run it. */
export async function runPrepared(db: Db, text: string, values: readonly unknown[] = []): Promise<unknown[]> {
  const query: CompiledQuery & QueryOptions = { ...CompiledQuery.raw(text, [...values]), plan: 'generic' };
  return (await db.executeQuery(query)).rows;
}
