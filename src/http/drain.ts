import { setTimeout as pause } from 'node:timers/promises';

/** Load balancers ask every second or two, and some act on the second answer only. */
const NOTICE_MS = 3_000;
/** When /readyz is read less often than this, no load balancer watches it. */
const MAX_CHECK_INTERVAL_MS = 60_000;

/**
 * A process drains without cutting a request off. A load balancer learns of the drain when it next reads /readyz, and
 * sends requests until then. They are served as usual; afterwards the server closes (server.ts).
 */
export class Drain {
  /** Makes /readyz red. */
  begun = false;
  #readyAt = -Infinity;
  #previousReadyAt = -Infinity;

  /** Called when /readyz was green; two calls within {@link MAX_CHECK_INTERVAL_MS} mean that it is watched. */
  recordReady(): void {
    this.#previousReadyAt = this.#readyAt;
    this.#readyAt = performance.now();
  }

  /** Resolves when load balancers have had time to read /readyz; at once if none watches it. */
  async begin(): Promise<void> {
    this.begun = true;
    if (performance.now() - this.#previousReadyAt < MAX_CHECK_INTERVAL_MS) await pause(NOTICE_MS);
  }
}
