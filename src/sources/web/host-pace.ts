import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../base/clock.js';

/** Spaces the requests to each host. */
export class HostPace {
  readonly #next = new Map<string, number>();
  readonly #pause = new Map<string, number>();
  readonly #clock: Clock;
  readonly #pauseMs: number;

  constructor(clock: Clock, requestsPerSecond: number) {
    this.#clock = clock;
    this.#pauseMs = 1000 / requestsPerSecond;
  }

  /** A longer pause that the host asks for. */
  slow(host: string, pauseMs: number): void {
    this.#pause.set(host, Math.max(this.#pauseMs, pauseMs));
  }

  /** Waits for the host's turn; `delayMs` more where it asked to be left alone. */
  async turn(host: string, delayMs: number, signal?: AbortSignal): Promise<void> {
    const now = this.#clock.now();
    const at = Math.max(now + delayMs, this.#next.get(host) ?? now);
    this.#next.set(host, at + (this.#pause.get(host) ?? this.#pauseMs));
    if (at > now) await sleep(at - now, undefined, { signal });
    else signal?.throwIfAborted();
  }
}
