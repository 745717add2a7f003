import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import pg from 'pg';
import type { Logger } from '../base/logger.js';
import { readIndexVersion } from '../projects/index-version.js';
import { isDatabaseBusy, isDatabaseUnavailable } from '../platform/database/session/database-errors.js';
import type { SessionPool } from '../platform/database/session/pool.js';
import { createTenants, type Tenant } from '../platform/database/session/tenants.js';

/** Why a search did or did not go to the replica. */
export type ReplicaUse = 'used' | 'behind' | 'away' | 'failed';

/** A replica that answers searches. Everything else, admission and writes among it, stays on the primary. */
export interface ReadReplica {
  /**
   * The project as the replica has it, when it has replayed this version of the project's index; undefined: ask the
   * primary. Admission on the primary gives the version, so nobody is answered from before his own change.
   */
  tenant(projectId: string, indexVersion: number, signal?: AbortSignal): Promise<Tenant | undefined>;
  /** Whether a failed search should be asked of the primary. */
  failed(error: unknown, signal?: AbortSignal): boolean;
}

/** One search of the index takes 10 to 30 ms: whoever waits longer for the replica had better ask the primary. */
const PAUSES_MS = [2, 6, 12];
/** For the question how far the replica is, and for a search; the primary then has a request's usual time. */
const MAX_QUESTION_MS = 250;
const MAX_SEARCH_MS = 3_000;
/** A replica that is away, or behind in a project, is asked again after this long, by one search. */
const ASK_AGAIN_MS = 1_000;
const MAX_PROJECTS_BEHIND = 10_000;

export function createReadReplica(options: {
  pool: SessionPool;
  /** As in {@link createTenants}. */
  apart: boolean;
  logger: Logger;
  count: (use: ReplicaUse) => void;
}): ReadReplica {
  const { pool, apart, logger, count } = options;
  const asking = createTenants(pool, apart, MAX_QUESTION_MS);
  const searching = createTenants(pool, apart, MAX_SEARCH_MS);
  const behindUntil = new LRUCache<string, number>({ max: MAX_PROJECTS_BEHIND });
  let awayUntil = -Infinity;
  let isAway = false;

  async function hasReplayed(projectId: string, version: number, signal?: AbortSignal): Promise<boolean> {
    const { db } = asking.of(projectId, signal);
    if ((await readIndexVersion(db, projectId)) >= version) return true;
    if (performance.now() < (behindUntil.get(projectId) ?? 0)) return false;
    behindUntil.set(projectId, performance.now() + ASK_AGAIN_MS);
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
    awayUntil = performance.now() + ASK_AGAIN_MS;
    if (!isAway) logger.warn('the replica cannot be asked; the primary answers searches', { error });
    isAway = true;
  }

  return {
    tenant: async (projectId, indexVersion, signal) => {
      const now = performance.now();
      if (now < awayUntil) {
        count('away');
        return undefined;
      }
      // While it is away, one search asks for all.
      if (isAway) awayUntil = now + ASK_AGAIN_MS;
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
    failed: (error, signal) => {
      // Also what the replica cancels to go on replaying (40001), and what it lacks before a migration reaches it.
      const isUnavailable = isDatabaseUnavailable(error);
      if (signal?.aborted || !(isUnavailable || error instanceof pg.DatabaseError)) return false;
      if (isUnavailable && !isDatabaseBusy(error)) becomeAway(error);
      count('failed');
      return true;
    },
  };
}
