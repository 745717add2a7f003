import type { Source, SourceItem } from '../sources/source.js';

/** How much of a source one run reads. */
export interface Bounds {
  pages: number;
  /** As unpacked: of answers of a site, or of text of a file. */
  bytes: number;
  ms: number;
}

/** Of a run of the worker: 5 requests a second are 72,000 pages in this time. `pages sync` has no such bounds. */
export const SYNC_BOUNDS: Bounds = { pages: 50_000, bytes: 10e9, ms: 4 * 3_600_000 };
export const PREVIEW_BOUNDS: Bounds = { pages: 200, bytes: 500e6, ms: 60_000 };

/** Where a run's bounds ended it, in the report. */
export const REST_OF_SOURCE = 'the rest of the source';

/** Ends a source where a run has read as much of it as it may, and says so: what was not seen may still be there. */
export class RunBounds {
  readonly #bounds: Bounds;
  readonly #stop = new AbortController();
  #pages = 0;
  #bytes = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  /** Aborts what is being read when it is too much. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  read(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#bounds.bytes) this.#end(`${this.#bounds.bytes / 1e6} MB`);
  }

  async *of(source: Source): AsyncGenerator<SourceItem> {
    const { ms, pages } = this.#bounds;
    const { signal } = this;
    const stopped = new Promise<undefined>((done) => {
      signal.addEventListener('abort', () => {
        done(undefined);
      });
    });
    const timer = setTimeout(() => {
      this.#end(ms < 120_000 ? `for ${ms / 1_000} seconds` : `for ${ms / 3_600_000} hours`);
    }, ms);
    const items = source[Symbol.asyncIterator]();
    try {
      while (!signal.aborted) {
        const next = items.next().catch((error: unknown) => {
          // It was aborted here.
          if (signal.aborted) return undefined;
          throw error;
        });
        const found = await Promise.race([next, stopped]);
        if (!found) break;
        if (found.done) return;
        yield found.value;
        if (found.value.kind !== 'redirect' && ++this.#pages >= pages) this.#end(`${pages.toLocaleString('en')} pages`);
      }
    } finally {
      clearTimeout(timer);
    }
    yield { kind: 'refused', where: REST_OF_SOURCE, reason: `one run reads ${String(signal.reason)}` };
  }

  #end(what: string): void {
    this.#stop.abort(what);
  }
}
