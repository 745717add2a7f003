import { Kysely, PostgresDialect } from 'kysely';
import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import type { Db } from '../db.js';
import { becomeTenant, databaseOf, type GuardedPool } from './guarded-pool.js';
import type { Database } from '../tables.js';

/** A project, and the database as it may see and write it. */
export interface Tenant {
  projectId: string;
  /** Row level security lets it reach the rows of this project only, whatever a statement forgets to say. */
  db: Db;
}

/** Everything that is done for one project is done through its tenant. */
export interface Tenants {
  of(projectId: string): Tenant;
  /** The same, for work that is given up when the signal is aborted. */
  until(signal: AbortSignal, projectId: string): Tenant;
}

/**
 * - `session`: sessions of the pool become a tenant's, and mostly stay so: no round trip where they already are.
 * - `transaction`: every statement is a transaction that becomes the tenant first. For the embedded database, whose
 *   connections share one session.
 * - `none`: the server's administrator has not made the roles; statements keep tenants apart alone.
 */
export type Separation = 'session' | 'transaction' | 'none';

/** Tenants are some objects each; the busiest are kept. */
const MOST_KEPT = 1_000;

/** @param withinMs see {@link takeWithin}; not for the embedded database. */
export function createTenants(pool: GuardedPool, separation: Separation, withinMs?: number): Tenants {
  const kept = new LRUCache<string, Tenant>({ max: MOST_KEPT });
  function databaseFor(projectId: string, signal?: AbortSignal): Db {
    if (separation === 'transaction')
      return new Kysely<Database>({
        dialect: new PostgresDialect({ pool: lentTransactions(pool, projectId, signal) }),
      });
    return databaseOf(pool, { withinMs, signal, projectId: separation === 'session' ? projectId : undefined });
  }
  return {
    of(projectId) {
      const known = kept.get(projectId);
      if (known) return known;
      const tenant = { projectId, db: databaseFor(projectId) };
      kept.set(projectId, tenant);
      return tenant;
    },
    until: (signal, projectId) => ({ projectId, db: databaseFor(projectId, signal) }),
  };
}

function lentTransactions(pool: GuardedPool, projectId: string, signal: AbortSignal | undefined) {
  return {
    options: pool.options,
    connect: () => lendTransactions(pool, projectId, signal),
    end: () => Promise.resolve(),
  };
}

/** A connection on which whatever is not inside a transaction becomes one. */
async function lendTransactions(
  pool: GuardedPool,
  projectId: string,
  signal: AbortSignal | undefined,
): Promise<pg.PoolClient> {
  const begin = `begin; ${becomeTenant(projectId, 'local')}`;
  const client = await pool.lend({ signal });
  let open = false;
  const query = async (text: string, values?: unknown[]): Promise<pg.QueryResult> => {
    if (open) {
      if (text === 'commit' || text === 'rollback') open = false;
      return client.query(text, values);
    }
    if (text === 'begin') {
      open = true;
      const [began] = (await client.query(begin)) as unknown as [pg.QueryResult];
      return began;
    }
    // In one flight. What fails makes a roll-back of the commit, and of what comes before that fail as well.
    const [began, result, ended] = await Promise.allSettled([
      client.query(begin),
      client.query(text, values),
      client.query('commit'),
    ]);
    for (const one of [began, result, ended]) if (one.status === 'rejected') throw one.reason;
    return (result as PromiseFulfilledResult<pg.QueryResult>).value;
  };
  return Object.assign(Object.create(client) as pg.PoolClient, { query, release: client.release.bind(client) });
}
