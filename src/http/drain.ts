import { setTimeout as pause } from 'node:timers/promises';

/** Balancers ask every second or two, and some believe only the second answer. */
const TOLD_AFTER_MS = 3_000;
/** Asked less often than this, /readyz is read by people, or by nobody. */
const WATCHED_WITHIN_MS = 60_000;

/**
 * How a process drains without cutting anybody off. A balancer hears of it from /readyz when it asks next, and sends
 * requests until then, so it is served until then as ever. Only after that the server closes (server.ts).
 */
export class Drain {
  /** Whether /readyz is red for that. */
  begun = false;
  #ready = -Infinity;
  #readyBefore = -Infinity;

  /** /readyz was green: whoever asks for that again and again wants to know when it is not. */
  toldReady(): void {
    this.#readyBefore = this.#ready;
    this.#ready = performance.now();
  }

  /** Resolves when those who watch /readyz have had time to hear of it; at once, where nobody does. */
  async begin(): Promise<void> {
    this.begun = true;
    if (performance.now() - this.#readyBefore < WATCHED_WITHIN_MS) await pause(TOLD_AFTER_MS);
  }
}
