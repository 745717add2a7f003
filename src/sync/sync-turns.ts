import { setTimeout as pause } from 'node:timers/promises';
import { Bulkhead } from '../platform/limits/bulkhead.js';

const MAX_WAITING = 256;
/** A worker begins no run while the heaps of the active ones hold more. A waiting run takes 32 MB in all. */
const MAX_HEAP_BYTES = 500e6;
const LOOK_MS = 1_000;

/**
 * Runs parse pages and store them in turns, two of a process at once, so that visitors have the processor. A run that
 * waits for its site, as with a Crawl-delay of a minute, takes no turn. It costs only memory, which bounds the number
 * of runs that begin.
 */
const turns = new Bulkhead({
  slots: 2,
  waiting: { maxInBurst: MAX_WAITING, maxSustained: MAX_WAITING, burstMs: 1_000 },
  maxWaitMs: 2 ** 31 - 1,
});
const heaps = new Map<object, number>();

export interface SyncTurns {
  of: Bulkhead;
  by: string;
  /** The heap of the run's thread after a turn. */
  onRest: (heapBytes: number) => void;
}

/** Opens a run, once there is room for it in memory. */
export async function withTurns(projectId: string, signal: AbortSignal, run: (turns: SyncTurns) => Promise<void>) {
  const heldBytes = (): number => [...heaps.values()].reduce((sum, bytes) => sum + bytes, 0);
  while (heldBytes() > MAX_HEAP_BYTES) await pause(LOOK_MS, undefined, { signal });
  const key = {};
  try {
    await run({ of: turns, by: projectId, onRest: (heapBytes) => heaps.set(key, heapBytes) });
  } finally {
    heaps.delete(key);
  }
}
