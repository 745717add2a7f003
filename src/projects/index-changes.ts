import { setTimeout as pause } from 'node:timers/promises';
import type { Db } from '../platform/database/db.js';
import { leasedElsewhere } from './store/rate-buckets.js';
import type { RateLeases } from './rate-leases.js';
import { LEASE_MS } from './rate-lease.js';

/** A little longer than a lease: timers may fire a millisecond early, and clocks run at different rates. */
const VISIBLE_AFTER_MS = LEASE_MS + 5;

/**
 * Every change of an index is reported here after its commit. No cached answer may be older than the last acknowledged
 * change of its index, and leases carry the version of the index (rate-leases.ts).
 *
 * In this process the project's leases end at the commit. A change that a caller asked for is acknowledged when the
 * leases of other processes are over. The database says when that is (db/functions/leased_elsewhere.sql): at once, if
 * it admitted no other process in the last 30 ms. A change without a request, such as a page that becomes INDEXED,
 * is not waited for: another process may answer without it for one lease more.
 */
export interface IndexChanges {
  /** Ends this process's leases; for changes that nobody waits for. */
  committed(projectId: string): void;
  /** Resolves when no process answers from before the commit: the change may be acknowledged. */
  committedAndVisible(projectId: string): Promise<void>;
}

export function createIndexChanges(db: Db, leases: Pick<RateLeases, 'end' | 'process'>): IndexChanges {
  return {
    committed: (projectId) => leases.end(projectId),
    committedAndVisible: async (projectId) => {
      leases.end(projectId);
      // The commit stands even if this query fails.
      const ms = await leasedElsewhere(db, projectId, leases.process).catch(() => VISIBLE_AFTER_MS);
      // Never longer than a lease, whatever the database's clock does.
      if (ms > 0) await pause(Math.min(Math.ceil(ms), VISIBLE_AFTER_MS));
    },
  };
}

/** For commands. They hold no leases, and wait once at their end: {@link waitUntilVisible}. */
export const commandIndexChanges: IndexChanges = {
  committed: () => undefined,
  committedAndVisible: () => Promise.resolve(),
};

/** Waits until every process answers with what a command committed. */
export async function waitUntilVisible(): Promise<void> {
  await pause(VISIBLE_AFTER_MS);
}
