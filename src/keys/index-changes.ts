import { setTimeout as pause } from 'node:timers/promises';
import type { Db } from '../database/db.js';
import { leasedElsewhere } from '../database/queries/admit.js';
import type { Leases } from './leases.js';
import { LEASE_MS } from './token-lease.js';

/** A little more than a lease: timers may be a millisecond early, and two machines' clocks run at different rates. */
const SEEN_AFTER_MS = LEASE_MS + 5;

/**
 * Who changes an index tells it here, as soon as the change is committed. A cached answer must never be older than the
 * last acknowledged change of its index, and leases say the version of the index (leases.ts).
 *
 * In this process the leases of the project end with the commit. A change that somebody asked for is acknowledged when
 * those of other processes are over: the database says when (db/functions/leased_elsewhere.sql), and where no other
 * process was admitted in the last 30 ms that is now. What nobody asked for, a page's status that becomes INDEXED, is
 * visible with the commit: who watches the database may know it up to one lease before another process answers with it.
 */
export interface IndexChanges {
  /** For changes that nobody waits for. */
  committed(projectId: string): void;
  /** Resolves when no process answers from before the commit any more, so that it may be acknowledged. */
  committedAndSeen(projectId: string): Promise<void>;
}

export function createIndexChanges(db: Db, leases: Pick<Leases, 'end' | 'process'>): IndexChanges {
  return {
    committed: (projectId) => {
      leases.end(projectId);
    },
    committedAndSeen: async (projectId) => {
      leases.end(projectId);
      // It is committed, whether or not the database still says when it is seen.
      const ms = await leasedElsewhere(db, projectId, leases.process).catch(() => SEEN_AFTER_MS);
      if (ms > 0) await pause(Math.ceil(ms));
    },
  };
}

/** For a command, which serves nobody and holds no leases: it waits once, before it says what it did. */
export const changesOfCommand: IndexChanges = { committed: () => undefined, committedAndSeen: () => Promise.resolve() };

/** Waits until what a command committed is seen by every server. */
export async function seenEverywhere(): Promise<void> {
  await pause(SEEN_AFTER_MS);
}
