import { setTimeout as pause } from 'node:timers/promises';
import type { Source, SourceItem } from '../sources/source.js';
import { Bulkhead } from '../platform/limits/bulkhead.js';

/** The bounds of what one run reads of a source. */
export interface Bounds {
  pages: number;
  /** Unpacked bytes of a site's answers, or characters of a file. */
  bytes: number;
  ms: number;
}

/** Bounds of a worker's run: 5 requests a second are 72,000 pages in this time. `pages sync` has no bounds. */
export const SYNC_BOUNDS: Bounds = { pages: 50_000, bytes: 10e9, ms: 4 * 3_600_000 };
export const PREVIEW_BOUNDS: Bounds = { pages: 200, bytes: 500e6, ms: 60_000 };

/** The place of the refusal in the report when a bound ended the run. */
export const REST_OF_SOURCE = 'the rest of the source';

/** Ends a source at the bounds of a run with a refusal, so that unread pages do not count as gone. */
export class RunBounds {
  readonly #bounds: Bounds;
  readonly #stop = new AbortController();
  #pages = 0;
  #bytes = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  /** Aborts the current request at a bound. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  read(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#bounds.bytes) this.#stop.abort(`${this.#bounds.bytes / 1e6} MB`);
  }

  async *of(source: Source): AsyncGenerator<SourceItem> {
    const { ms, pages } = this.#bounds;
    const { signal } = this;
    const stopped = new Promise<undefined>((done) => {
      signal.addEventListener('abort', () => done(undefined));
    });
    const timer = setTimeout(() => {
      this.#stop.abort(ms < 120_000 ? `for ${ms / 1_000} seconds` : `for ${ms / 3_600_000} hours`);
    }, ms);
    const items = source[Symbol.asyncIterator]();
    try {
      while (!signal.aborted) {
        const next = items.next().catch((error: unknown) => {
          // The abort itself caused the error.
          if (signal.aborted) return undefined;
          throw error;
        });
        const step = await Promise.race([next, stopped]);
        if (!step) break;
        if (step.done) return;
        yield step.value;
        if (step.value.kind !== 'redirect' && ++this.#pages >= pages)
          this.#stop.abort(`${pages.toLocaleString('en')} pages`);
      }
    } finally {
      clearTimeout(timer);
    }
    yield { kind: 'refused', where: REST_OF_SOURCE, reason: `one run reads ${String(signal.reason)}` };
  }
}

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
