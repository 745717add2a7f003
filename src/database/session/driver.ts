import {
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type Dialect,
  type Driver,
} from 'kysely';
import type { Db } from '../db.js';
import type { Database } from '../tables.js';
import type { SessionPool } from './pool.js';
import type { Session, Terms } from './session.js';

/** How Kysely takes sessions from the pool. Whoever made the pool closes it. */
class SessionDriver implements Driver {
  private readonly pool: SessionPool;
  private readonly terms: Terms;

  constructor(pool: SessionPool, terms: Terms) {
    this.pool = pool;
    this.terms = terms;
  }

  /** The pool connects when it is asked. */
  init(): Promise<void> {
    return Promise.resolve();
  }

  acquireConnection(): Promise<Session> {
    return this.pool.take(this.terms);
  }

  beginTransaction(session: Session): Promise<void> {
    return session.begin();
  }

  commitTransaction(session: Session): Promise<void> {
    return session.end('commit');
  }

  rollbackTransaction(session: Session): Promise<void> {
    return session.end('rollback');
  }

  releaseConnection(session: Session): Promise<void> {
    session.release();
    return Promise.resolve();
  }

  destroy(): Promise<void> {
    return Promise.resolve();
  }
}

/** PostgreSQL over sessions of this pool, lent on these terms. */
export function sessionDialect(pool: SessionPool, terms: Terms): Dialect {
  return {
    createDriver: () => new SessionDriver(pool, terms),
    createAdapter: () => new PostgresAdapter(),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createIntrospector: (db) => new PostgresIntrospector(db),
  };
}

/** The database over sessions of this pool, lent on these terms. */
export function databaseOf(pool: SessionPool, terms: Terms): Db {
  return new Kysely<Database>({ dialect: sessionDialect(pool, terms) });
}
