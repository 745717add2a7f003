import { setTimeout as pause } from 'node:timers/promises';

const HOLD_MS = 1_000;
const MAX_HELD = 4_096;

/**
 * Holds refusals back for a second. A caller that is refused at once and comes again at once makes the thread do
 * nothing but refuse. 1,500 connections caused 23,000 refusals a second
 * (docs/evidence/decisions/0032-admission-queue.md).
 */
export class HoldBack {
  #held = 0;

  /** Resolves after the second; at once when very many are held already. */
  async start(): Promise<void> {
    if (this.#held >= MAX_HELD) return;
    this.#held++;
    await pause(HOLD_MS, undefined, { ref: false });
    this.#held--;
  }
}
