import type { Db } from '../db.js';
import { query, sql } from '../sql.js';
import { databaseOf } from './driver.js';
import { SessionPool, type PoolAddress } from './pool.js';

/** A project, and the database limited to it. */
export interface Tenant {
  projectId: string;
  /** Row level security hides all other rows, even from a statement that does not name its project. */
  db: Db;
  /** The operation that the database is used for, a label of metrics: see {@link Terms}. */
  operation?: string | undefined;
}

export interface Tenants {
  /** @param signal aborts statements in flight. */
  of(projectId: string, signal?: AbortSignal, operation?: string): Tenant;
  /** Returns the address that {@link openTenant} takes on another thread. */
  addressOf(projectId: string): TenantAddress;
}

/** The database of one project as plain data, which goes to another thread. It may hold a password. */
export interface TenantAddress {
  projectId: string;
  apart: boolean;
  withinMs: number | undefined;
  pool: PoolAddress;
}

/**
 * @param apart is false where the roles are not made: then only the conditions of statements keep tenants apart.
 * @param withinMs see {@link WaitLimit}; not for the embedded database.
 */
export function createTenants(pool: SessionPool, apart: boolean, withinMs?: number): Tenants {
  return {
    of: (projectId, signal, operation) => ({
      projectId,
      operation,
      db: databaseOf(pool, { withinMs, signal, operation, projectId: apart ? projectId : undefined }),
    }),
    addressOf: (projectId) => ({ projectId, apart, withinMs, pool: pool.address }),
  };
}

/** Opens the database of one project by its own connection, on another thread than the one that answers requests. */
export function openTenant({ projectId, apart, withinMs, pool: address }: TenantAddress): Tenant & {
  close(): Promise<void>;
} {
  // A connection that breaks while it is idle fails the next statement.
  const pool = new SessionPool({ ...address, max: 1, onIdleError: () => undefined });
  pool.keepsSessions = address.keepsSessions;
  return { ...createTenants(pool, apart, withinMs).of(projectId), close: () => pool.close() };
}

/** Whether row level security can restrict sessions to one project. */
export async function mayBecomeTenant(db: Db): Promise<boolean> {
  return query(sql<{ may: boolean }>`select pathmend.may_become_tenant() as may`).value(db, 'may', false);
}
