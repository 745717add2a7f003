import { LRUCache } from 'lru-cache';

/** Priorities are whole numbers of 32 bits: seconds since this moment go on for decades. */
const EPOCH_SECONDS = Date.UTC(2026, 0, 1) / 1_000;
/** What lets others go first comes behind all that was ever queued before the year 2057. */
const BULK_SECONDS = 1_000_000_000;
const MAX_LINES = 10_000;

/**
 * Says when a job's turn is: the moment at which a worker of its project alone, that does a job in so many seconds,
 * would come to it. Jobs are taken in the order of these moments: who pushes ten thousand pages at once waits behind
 * himself, and whoever pushes one meanwhile goes before all of them but the first (virtual clock, Zhang 1990). Kept by
 * each process for itself.
 */
export class FairPriorities {
  readonly #last = new LRUCache<string, number>({ max: MAX_LINES });
  readonly #now: () => number;

  /** @param now milliseconds since 1970. */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** The priority of a line's next job, of which higher ones go first. */
  next(line: string, seconds: number, urgency?: 'bulk'): number {
    const own = urgency === undefined ? line : `${urgency} ${line}`;
    const now = this.#now() / 1_000 - EPOCH_SECONDS;
    const turn = Math.max(now, (this.#last.get(own) ?? -Infinity) + seconds);
    this.#last.set(own, turn);
    return -Math.floor(turn) - (urgency === 'bulk' ? BULK_SECONDS : 0);
  }
}
