import type { Db } from '../db.js';
import { databaseOf } from './driver.js';
import type { SessionPool } from './pool.js';

/** A project, and the database limited to it. */
export interface Tenant {
  projectId: string;
  /** Row level security hides all other rows, even from a statement that does not name its project. */
  db: Db;
  /** What it is used for: see {@link Terms}. */
  operation?: string | undefined;
}

export interface Tenants {
  /** @param signal aborts statements in flight. */
  of(projectId: string, signal?: AbortSignal, operation?: string): Tenant;
}

/**
 * @param apart false: the administrator has not made the roles, so only the statements' conditions keep tenants apart.
 * @param withinMs see {@link WaitLimit}; not for the embedded database.
 */
export function createTenants(pool: SessionPool, apart: boolean, withinMs?: number): Tenants {
  return {
    of: (projectId, signal, operation) => ({
      projectId,
      operation,
      db: databaseOf(pool, { withinMs, signal, operation, projectId: apart ? projectId : undefined }),
    }),
  };
}
