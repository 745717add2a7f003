export interface QueueLimits {
  maxInBurst: number;
  /** In a sustained load: for the last {@link burstMs} the queue was never empty, or it refused somebody. */
  maxSustained: number;
  burstMs: number;
}

/**
 * How many may wait. In a burst the queue empties again, so everybody is worth queueing. In a sustained load it never
 * empties and only makes everybody late, so it is kept short.
 *
 * Controlled delay makes the same distinction (RFC 8289; for servers, "Fail at Scale", ACM Queue 2015). Here the limit
 * is a length, not a time: it fits fast and slow machines alike. And a request is refused when it comes, not dropped
 * later: a caller that is told at once can go elsewhere.
 */
export class QueueLimit {
  readonly #limits: QueueLimits;
  /** When the queue was last empty, in monotonic milliseconds; undefined: it is. */
  #since: number | undefined;
  /** A short queue may be empty for a moment: that does not end the load. */
  #loadUntil = -Infinity;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  /** @returns whether one more may wait. If so, it is counted as waiting from now. */
  join(waiting: number, now: number): boolean {
    const { maxInBurst, maxSustained } = this.#limits;
    if (waiting >= (this.isSustained(now) ? maxSustained : maxInBurst)) {
      this.refused(now);
      return false;
    }
    this.#since ??= now;
    return true;
  }

  /** Somebody was refused, for whatever reason: a sustained load goes on. */
  refused(now: number): void {
    if (this.isSustained(now)) this.#loadUntil = now + this.#limits.burstMs;
  }

  /** Whether the load is sustained, not a burst. */
  isSustained(now: number): boolean {
    return now < this.#loadUntil || (this.#since !== undefined && now - this.#since >= this.#limits.burstMs);
  }

  emptied(): void {
    this.#since = undefined;
  }
}
