import { LRUCache } from 'lru-cache';
import { SingleFlight } from '../platform/limits/single-flight.js';
import {
  hashText,
  isQuick,
  type ContentOptions,
  type EmbeddedChunk,
  type Embedder,
  type EmbedderOptions,
  type EmbedOptions,
  type LoadedModel,
} from './embedder.js';
import { OnnxEmbedder } from './onnx-embedder.js';

/** Another thread starts when more chunks than this wait: some tenths of a second's. */
const MAX_WAITING = 8;

/** What a thread of pages is given: one is in work, the other one waits in the thread. */
const AHEAD = 2;

/** After so long without a query the thread of queries takes chunks, one at a time. */
const QUIET_MS = 1_000;

/** Threads for pages end after so long without one, and give back their memory. */
const IDLE_MS = 30_000;

/** Chunks of one call that are handed over at once. A long page leaves room between them for others. */
const CHUNKS_AT_ONCE = 8;

/** Vectors of queries and of chunks that are kept: 3 MB of 384 numbers each. */
const MAX_KEPT = 2_048;
const MAX_KEPT_CHARACTERS = 2_000_000;

interface PageThread {
  embedder: OnnxEmbedder;
  /** Chunks that it has been given. */
  given: number;
}

const chunkKey = (fingerprint: string, hash: bigint): string => `passage ${fingerprint} ${hash}`;

/**
 * One thread that embeds queries, and some for pages: onnxruntime blocks its thread for a whole chunk, for which no
 * query is to wait. The threads of pages start when pages come, end when none have come for a while, and run in the
 * background: on a busy machine queries go first. While nobody searches the first one helps
 * (docs/evidence/decisions/0092-threads-for-pages.md).
 */
export class EmbedderPool implements Embedder {
  readonly #options: EmbedderOptions & { pageThreads: number };
  readonly #queries: OnnxEmbedder;
  readonly #ofQueries: PageThread;
  #queriedAt = -Infinity;
  readonly #models = new Map<string, { model: LoadedModel; location: string }>();
  readonly #kept = new LRUCache<string, Float32Array>({
    max: MAX_KEPT,
    maxSize: MAX_KEPT_CHARACTERS,
    sizeCalculation: (_vector, key) => key.length,
  });
  readonly #flights = new SingleFlight<Float32Array>();
  #pages: PageThread[] = [];
  /** Chunks that no thread has been given yet. */
  readonly #waiting: ((thread: PageThread) => void)[] = [];
  #idle: NodeJS.Timeout | undefined;
  #stopped = false;
  /** Of threads that have ended. */
  readonly #ended = { restarts: 0, passages: 0 };

  constructor(options: EmbedderOptions & { pageThreads: number }) {
    this.#options = options;
    this.#queries = new OnnxEmbedder(options);
    this.#ofQueries = { embedder: this.#queries, given: 0 };
  }

  async load(location: string): Promise<LoadedModel> {
    const model = await this.#queries.load(location);
    this.#models.set(model.fingerprint, { model, location });
    return model;
  }

  unload(fingerprint: string): void {
    this.#models.delete(fingerprint);
    for (const embedder of [this.#queries, ...this.#pages.map((page) => page.embedder)]) embedder.unload(fingerprint);
  }

  embedQuery(fingerprint: string, text: string, options: EmbedOptions = {}): Promise<Float32Array> {
    this.#queriedAt = performance.now();
    return this.#once(`query ${fingerprint} ${text}`, options.signal, (signal) =>
      this.#queries.embedQuery(fingerprint, text, { ...options, signal }),
    );
  }

  async embedContent(fingerprint: string, content: string, options: ContentOptions = {}): Promise<EmbeddedChunk[]> {
    const known = this.#models.get(fingerprint);
    if (!known || isQuick(known.model)) return this.#queries.embedContent(fingerprint, content, options);
    const work = <T>(task: (embedder: OnnxEmbedder) => Promise<T>): Promise<T> =>
      this.#onThread(async (embedder) => {
        await embedder.load(known.location);
        return task(embedder);
      });
    const split = (embedder: OnnxEmbedder): Promise<EmbeddedChunk[]> => embedder.split(fingerprint, content, options);
    // It takes a millisecond. A thread of pages, with a second copy of the model, starts only to embed a text.
    const chunks = await (this.#pages.length === 0 && this.#isQuiet() ? split(this.#queries) : work(split));
    const texts = chunks.map(({ start, end }) => content.slice(start, end));
    const vectors = (await options.known?.(texts)) ?? [];
    let next = 0;
    const embedNext = async (): Promise<void> => {
      for (let at = next++; at < texts.length; at = next++) {
        const text = texts[at] as string;
        vectors[at] ??= await this.#once(chunkKey(fingerprint, hashText(text)), options.signal, (signal) =>
          work((embedder) => embedder.embedChunk(fingerprint, text, { ...options, signal })),
        );
      }
    };
    await Promise.all(Array.from({ length: CHUNKS_AT_ONCE }, embedNext));
    return chunks.map((chunk, at) => ({ ...chunk, vector: vectors[at] as Float32Array }));
  }

  keep(fingerprint: string, vectors: ReadonlyMap<bigint, Float32Array>): void {
    for (const [hash, vector] of vectors) this.#kept.set(chunkKey(fingerprint, hash), vector);
  }

  ready(): boolean {
    return this.#queries.ready();
  }

  stats(): ReturnType<Embedder['stats']> {
    const all = this.#queries.stats();
    for (const each of [
      ...this.#pages.map(({ embedder }) => embedder.stats()),
      { waiting: this.#waiting.length, ...this.#ended },
    ]) {
      all.waiting += each.waiting;
      all.restarts += each.restarts;
      all.passages += each.passages;
    }
    return all;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#idle);
    await Promise.all([this.#queries.stop(), ...this.#pages.map(({ embedder }) => embedder.stop())]);
  }

  /** The vector of a text that was embedded lately or is being embedded; else embeds it. */
  async #once(
    key: string,
    signal: AbortSignal | undefined,
    embed: (signal: AbortSignal) => Promise<Float32Array>,
  ): Promise<Float32Array> {
    signal?.throwIfAborted();
    const kept = this.#kept.get(key);
    if (kept) return kept;
    const { result } = await this.#flights.run(key, signal, embed);
    this.#kept.set(key, result);
    return result;
  }

  async #onThread<T>(task: (embedder: OnnxEmbedder) => Promise<T>): Promise<T> {
    clearTimeout(this.#idle);
    const thread = await new Promise<PageThread>((take) => {
      this.#waiting.push(take);
      this.#handOver();
    });
    try {
      return await task(thread.embedder);
    } finally {
      thread.given -= 1;
      this.#handOver();
      clearTimeout(this.#idle);
      if (this.#pages.every(({ given }) => given === 0))
        this.#idle = setTimeout(() => void this.#endPageThreads(), IDLE_MS).unref();
    }
  }

  #handOver(): void {
    while (this.#waiting.length > 0) {
      const thread = this.#free();
      if (!thread) return;
      thread.given += 1;
      this.#waiting.shift()?.(thread);
    }
  }

  #free(): PageThread | undefined {
    // It refuses what it is given.
    if (this.#stopped) return this.#ofQueries;
    const [least] = this.#pages.toSorted((a, b) => a.given - b.given);
    if (least && least.given < AHEAD) return least;
    if (!least || (this.#waiting.length > MAX_WAITING && this.#pages.length < this.#options.pageThreads)) {
      const embedder = new OnnxEmbedder({ ...this.#options, background: true });
      const thread = { embedder, given: 0 };
      this.#pages.push(thread);
      return thread;
    }
    return this.#isQuiet() && this.#ofQueries.given === 0 ? this.#ofQueries : undefined;
  }

  #isQuiet(): boolean {
    return performance.now() - this.#queriedAt > QUIET_MS;
  }

  async #endPageThreads(): Promise<void> {
    const ending = this.#pages;
    this.#pages = [];
    for (const { embedder } of ending) {
      const { restarts, passages: chunks } = embedder.stats();
      this.#ended.restarts += restarts;
      this.#ended.passages += chunks;
    }
    await Promise.all(ending.map(({ embedder }) => embedder.stop()));
  }
}
