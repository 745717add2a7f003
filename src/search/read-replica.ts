import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import pg from 'pg';
import type { Logger } from '../base/logger.js';
import { readIndexVersion } from '../projects/index-version.js';
import { isDatabaseBusy, isDatabaseUnavailable } from '../platform/database/session/database-errors.js';
import type { SessionPool } from '../platform/database/session/pool.js';
import { createTenants, type Tenant } from '../platform/database/session/tenants.js';

/** The outcome of a search on the replica, or the reason why the primary answered. */
export type ReplicaUse = 'used' | 'behind' | 'away' | 'failed';

/** A replica that answers searches. Everything else, such as admission and writes, uses the primary. */
export type ReadReplica = ReturnType<typeof createReadReplica>;

/** A search takes 10 to 30 ms: after a longer wait for the replica, use the primary. */
const PAUSES_MS = [2, 6, 12];
/** Deadlines on the replica for reading its version, and for a search. Afterwards the primary has the usual time. */
const MAX_VERSION_MS = 250;
const MAX_SEARCH_MS = 3_000;
/** Pause before one search tries a replica again that was unreachable, or behind in a project. */
const RETRY_MS = 1_000;
const MAX_PROJECTS_BEHIND = 10_000;

export function createReadReplica(options: {
  pool: SessionPool;
  /** This is passed on to {@link createTenants}. */
  apart: boolean;
  logger: Logger;
  count: (use: ReplicaUse) => void;
}) {
  const { pool, apart, logger, count } = options;
  const versions = createTenants(pool, apart, MAX_VERSION_MS);
  const searching = createTenants(pool, apart, MAX_SEARCH_MS);
  const behindUntil = new LRUCache<string, number>({ max: MAX_PROJECTS_BEHIND });
  let awayUntil = -Infinity;
  let isAway = false;

  async function hasReplayed(projectId: string, version: number, signal?: AbortSignal): Promise<boolean> {
    const { db } = versions.of(projectId, signal);
    if ((await readIndexVersion(db, projectId)) >= version) return true;
    if (performance.now() < (behindUntil.get(projectId) ?? 0)) return false;
    behindUntil.set(projectId, performance.now() + RETRY_MS);
    for (const ms of PAUSES_MS) {
      await pause(ms);
      if ((await readIndexVersion(db, projectId)) >= version) {
        behindUntil.delete(projectId);
        return true;
      }
    }
    return false;
  }

  function becomeAway(error: unknown): void {
    awayUntil = performance.now() + RETRY_MS;
    if (!isAway) logger.warn('the replica cannot be asked; the primary answers searches', { error });
    isAway = true;
  }

  return {
    /** The project on the replica, if that has replayed the version that admission read; else use the primary. */
    tenant: async (projectId: string, indexVersion: number, signal?: AbortSignal): Promise<Tenant | undefined> => {
      const now = performance.now();
      if (now < awayUntil) {
        count('away');
        return undefined;
      }
      // While it is unreachable, only one search tries it.
      if (isAway) awayUntil = now + RETRY_MS;
      try {
        const current = await hasReplayed(projectId, indexVersion, signal);
        awayUntil = -Infinity;
        if (isAway) logger.warn('the replica answers again');
        isAway = false;
        count(current ? 'used' : 'behind');
        return current ? searching.of(projectId, signal) : undefined;
      } catch (error) {
        if (signal?.aborted) throw error;
        becomeAway(error);
        count('away');
        return undefined;
      }
    },
    /** Whether to repeat a failed search on the primary. */
    failed: (error: unknown, signal?: AbortSignal): boolean => {
      // This includes queries that replay cancels (40001), and tables that a migration has not made yet.
      const isUnavailable = isDatabaseUnavailable(error);
      if (signal?.aborted || !(isUnavailable || error instanceof pg.DatabaseError)) return false;
      if (isUnavailable && !isDatabaseBusy(error)) becomeAway(error);
      count('failed');
      return true;
    },
  };
}
