import { overloaded } from '../errors.js';
import { QueueBound, type QueueLengths } from './queue-bound.js';

export interface BulkheadOptions {
  /** In work at once at most. */
  slots: number;
  waiting: QueueLengths;
  /** Nobody waits longer than so many milliseconds. */
  patienceMs: number;
  /** Monotonic milliseconds. */
  now?: () => number;
}

interface Waiter {
  enter: () => void;
}

/**
 * Bounds work in hand: so much at once, so much waiting for that, and no longer than is of use. Those who wait are served
 * in the order in which they came: with a short queue those at its end are not late yet, and nobody is overtaken for ever.
 */
export class Bulkhead {
  readonly #options: BulkheadOptions;
  readonly #now: () => number;
  readonly #bound: QueueBound;
  readonly #waiting = new Set<Waiter>();
  #running = 0;
  #refused = 0;
  #leftAt = -Infinity;

  constructor(options: BulkheadOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#bound = new QueueBound(options.waiting);
  }

  /**
   * Does the work as soon as there is a slot for it.
   * @param signal gives up waiting; work that has begun must look after it itself.
   * @throws ApiError overloaded
   */
  async run<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    if (this.#running < this.#options.slots) this.#running++;
    else await this.#wait(signal);
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  stats(): { running: number; waiting: number; refused: number } {
    return { running: this.#running, waiting: this.#waiting.size, refused: this.#refused };
  }

  /** Whether some work is in hand, or was so many milliseconds ago. */
  usedWithin(ms: number): boolean {
    return this.#running > 0 || this.#now() - this.#leftAt < ms;
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (!this.#bound.join(this.#waiting.size, this.#now())) {
      this.#refused++;
      return Promise.reject(overloaded());
    }
    return new Promise((done, failed) => {
      const settle = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        this.#waiting.delete(waiter);
      };
      const waiter: Waiter = { enter: () => { settle(); done(); } };
      const abort = (): void => { settle(); failed(signal?.reason as Error); };
      const timer = setTimeout(() => { settle(); this.#refused++; failed(overloaded()); }, this.#options.patienceMs);
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiting.add(waiter);
    });
  }

  /** Hands the slot on. Only a queue that was worked off has ended; one that lost its patience has not. */
  #leave(): void {
    const [next] = this.#waiting;
    if (next) {
      next.enter();
      return;
    }
    this.#bound.emptied();
    this.#running--;
    this.#leftAt = this.#now();
  }
}
