import { setTimeout as pause } from 'node:timers/promises';
import { LEASE_MS } from './leased-tokens.js';

/** A little more than a lease: timers may be a millisecond early, and two machines' clocks run at different rates. */
const SEEN_AFTER_MS = LEASE_MS + 5;

/**
 * Who changes an index tells it here, as soon as the change is committed.
 *
 * Requests are admitted under leases, which say the version of the index too (src/keys/leases.ts), and a cached
 * answer must never be older than the last finished change of its index. In this process, the leases of the project
 * end with the commit. Another process may hold one that it read just before the commit, for one lease at most. So a
 * change is acknowledged to whoever asked for it only when that time is over: from then on nobody answers from before.
 * A request whose body was read only when its lease was over asks for the version again (src/http/route.ts).
 *
 * What nobody is told of by us, a page's status that becomes INDEXED, is visible with the commit itself: a watcher of
 * the database may know of it up to one lease before another process answers with it.
 */
export interface IndexChanges {
  /** For changes that nobody waits for. */
  committed(projectId: string): void;
  /** Resolves when no process answers from before the commit any more, so that it may be acknowledged. */
  committedAndSeen(projectId: string): Promise<void>;
}

/** @param alone that no other process serves this database: the embedded one has a single server. */
export function createIndexChanges(endLeases: (projectId: string) => void, alone: boolean): IndexChanges {
  return {
    committed: endLeases,
    committedAndSeen: async (projectId) => {
      endLeases(projectId);
      if (!alone) await pause(SEEN_AFTER_MS);
    },
  };
}

/** For a command, which serves nobody and holds no leases: it waits once, before it says what it did. */
export const changesOfCommand: IndexChanges = { committed: () => undefined, committedAndSeen: () => Promise.resolve() };

/** Waits until what a command committed is seen by every server. */
export async function seenEverywhere(): Promise<void> {
  await pause(SEEN_AFTER_MS);
}
