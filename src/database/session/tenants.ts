import type { Db } from '../db.js';
import { databaseOf } from './driver.js';
import type { SessionPool } from './pool.js';

/** A project, and the database as it may see and write it. */
export interface Tenant {
  projectId: string;
  /** Row level security lets it reach the rows of this project only, whatever a statement forgets to say. */
  db: Db;
}

/** Everything that is done for one project is done through its tenant. */
export interface Tenants {
  /** Work that has a signal is given up when that is aborted. */
  of(projectId: string, signal?: AbortSignal): Tenant;
}

/**
 * @param apart false: the server's administrator has not made the roles; statements alone keep tenants apart.
 * @param withinMs see {@link Patience}; not for the embedded database.
 */
export function createTenants(pool: SessionPool, apart: boolean, withinMs?: number): Tenants {
  return {
    of: (projectId, signal) => ({
      projectId,
      db: databaseOf(pool, { withinMs, signal, projectId: apart ? projectId : undefined }),
    }),
  };
}
