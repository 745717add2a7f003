import type { Db } from '../db.js';
import { databaseOf } from './driver.js';
import type { SessionPool } from './pool.js';

/** A project, and the database limited to it. */
export interface Tenant {
  projectId: string;
  /** Row level security hides all other rows, even from a statement that does not name its project. */
  db: Db;
}

export interface Tenants {
  /** @param signal aborts statements in flight. */
  of(projectId: string, signal?: AbortSignal): Tenant;
}

/**
 * @param apart false: the administrator has not made the roles, so only the statements' conditions keep tenants apart.
 * @param withinMs see {@link WaitLimit}; not for the embedded database.
 */
export function createTenants(pool: SessionPool, apart: boolean, withinMs?: number): Tenants {
  return {
    of: (projectId, signal) => ({
      projectId,
      db: databaseOf(pool, { withinMs, signal, projectId: apart ? projectId : undefined }),
    }),
  };
}
