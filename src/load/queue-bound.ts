export interface QueueLengths {
  /** While it is a burst. */
  inBurst: number;
  /**
   * When it is a load: somebody has been waiting for {@link burstMs} all the time, or somebody was refused for that so
   * lately.
   */
  standing: number;
  burstMs: number;
}

/**
 * How many may wait. A queue that empties again is a burst, and worth its memory: nobody of it is lost. One that never
 * empties only makes everybody late, so it is kept short. The distinction is that of controlled delay (RFC 8289; for
 * servers, "Fail at Scale", ACM Queue 2015), with a length in place of a time, which is right for fast and slow
 * machines alike, and with a refusal at the door in place of a drop later: a caller that is told at once can go
 * elsewhere.
 */
export class QueueBound {
  readonly #lengths: QueueLengths;
  /** Since when the queue has not been empty, in monotonic milliseconds. */
  #since: number | undefined;
  /** Kept short, the queue may be empty for a moment: that does not end the load. */
  #loadUntil = -Infinity;

  constructor(lengths: QueueLengths) {
    this.#lengths = lengths;
  }

  /** Whether one more may join those who wait; it is taken to do so then. */
  join(waiting: number, now: number): boolean {
    const { inBurst, standing } = this.#lengths;
    if (waiting >= (this.stands(now) ? standing : inBurst)) {
      this.refused(now);
      return false;
    }
    this.#since ??= now;
    return true;
  }

  /** Somebody did not join, for whatever reason: a load goes on. */
  refused(now: number): void {
    if (this.stands(now)) this.#loadUntil = now + this.#lengths.burstMs;
  }

  /** Whether it is a load that lasts, and no burst. */
  stands(now: number): boolean {
    return now < this.#loadUntil || (this.#since !== undefined && now - this.#since >= this.#lengths.burstMs);
  }

  /** All have had their turn. */
  emptied(): void {
    this.#since = undefined;
  }
}
