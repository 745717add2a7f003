import { LRUCache } from 'lru-cache';

/** Priorities are 32-bit integers: seconds since this moment last for decades. */
const EPOCH_SECONDS = Date.UTC(2026, 0, 1) / 1_000;
/** Bulk jobs come after all others that are queued before the year 2057, and jobs of `rest` after these. */
const BULK_SECONDS = 1_000_000_000;
/** Jobs of `rest` are ordered by steps of 16 seconds, so that their priorities fit below those of bulk jobs. */
const REST_SECONDS = 16;
const MAX_LINES = 10_000;

/** The urgency of a job. Jobs without one go first, then `bulk`, then `rest`. */
export type Urgency = 'bulk' | 'rest';

/**
 * Gives jobs a fair order across projects (virtual clock, Zhang 1990). A job's priority is the time at which a worker
 * that serves only its project would reach it. When a project pushes ten thousand pages at once, they wait behind each
 * other; a page of another project goes before all of them but the first. Each process keeps its own clock.
 */
export class FairPriorities {
  readonly #last = new LRUCache<string, number>({ max: MAX_LINES });
  readonly #now: () => number;

  /** @param now milliseconds since 1970. */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** The priority of the next job in a project's line; a higher one goes first. */
  next(line: string, seconds: number, urgency?: Urgency): number {
    const lineKey = urgency === undefined ? line : `${urgency} ${line}`;
    const now = this.#now() / 1_000 - EPOCH_SECONDS;
    const turn = Math.max(now, (this.#last.get(lineKey) ?? -Infinity) + seconds);
    this.#last.set(lineKey, turn);
    if (urgency === 'rest') return -2 * BULK_SECONDS - Math.floor(turn / REST_SECONDS);
    return -Math.floor(turn) - (urgency === 'bulk' ? BULK_SECONDS : 0);
  }
}
