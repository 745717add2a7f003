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

/** Waiting chunks, some tenths of a second, that start another thread. */
const MAX_WAITING = 8;

/** Chunks per thread for pages: one in work, one queued. */
const AHEAD = 2;

/**
 * So many of the longest chunks could have been embedded since the last query, before the thread for queries embeds
 * one: a query waits for one chunk at most. After a rest of a second pages took 1.3 times as long (decision 0092).
 */
const QUIET_CHUNKS = 1.5;

/** Threads for pages end after this time without one, to free their memory. */
const IDLE_MS = 30_000;

/** Concurrent chunks of one call, so that a long page leaves room for others. */
const CHUNKS_AT_ONCE = 8;

/** Cached vectors of queries and chunks: 3 MB of 384 numbers each. */
const MAX_CACHED = 2_048;
const MAX_CACHED_CHARACTERS = 2_000_000;

interface PageThread {
  embedder: OnnxEmbedder;
  /** Chunks in work or queued. */
  assigned: number;
}

const chunkKey = (fingerprint: string, hash: bigint): string => `passage ${fingerprint} ${hash}`;

/**
 * One thread for queries, and several for pages, since onnxruntime blocks its thread for a whole chunk. Threads for
 * pages start on demand, end when idle, and have a lower priority. Without searches, the thread for queries embeds
 * pages, too (docs/evidence/decisions/0092-threads-for-pages.md).
 */
export class EmbedderPool implements Embedder {
  readonly #options: EmbedderOptions & { pageThreads: number };
  readonly #queries: OnnxEmbedder;
  readonly #queryThread: PageThread;
  #queriedAt = -Infinity;
  readonly #models = new Map<string, { model: LoadedModel; location: string }>();
  readonly #cached = new LRUCache<string, Float32Array>({
    max: MAX_CACHED,
    maxSize: MAX_CACHED_CHARACTERS,
    sizeCalculation: (_vector, key) => key.length,
  });
  readonly #flights = new SingleFlight<Float32Array>();
  #pages: PageThread[] = [];
  /** Chunks that are not assigned to a thread yet. */
  readonly #waiting: ((thread: PageThread) => void)[] = [];
  #idle: NodeJS.Timeout | undefined;
  #stopped = false;
  /** Counts of ended threads. */
  readonly #ended = { restarts: 0, passages: 0 };

  constructor(options: EmbedderOptions & { pageThreads: number }) {
    this.#options = options;
    this.#queries = new OnnxEmbedder(options);
    this.#queryThread = { embedder: this.#queries, assigned: 0 };
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
    // Splitting takes a millisecond, and must not start a thread for pages with a second copy of the model.
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
    for (const [hash, vector] of vectors) this.#cached.set(chunkKey(fingerprint, hash), vector);
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

  /** The cached or pending vector of a text; else embeds it. */
  async #once(key: string, signal: AbortSignal | undefined, embed: (signal: AbortSignal) => Promise<Float32Array>) {
    signal?.throwIfAborted();
    const kept = this.#cached.get(key);
    if (kept) return kept;
    const { result } = await this.#flights.run(key, signal, embed);
    this.#cached.set(key, result);
    return result;
  }

  async #onThread<T>(task: (embedder: OnnxEmbedder) => Promise<T>): Promise<T> {
    clearTimeout(this.#idle);
    const thread = await new Promise<PageThread>((take) => {
      this.#waiting.push(take);
      this.#assignWaiting();
    });
    try {
      return await task(thread.embedder);
    } finally {
      thread.assigned -= 1;
      this.#assignWaiting();
      clearTimeout(this.#idle);
      if (this.#pages.every(({ assigned }) => assigned === 0))
        this.#idle = setTimeout(() => void this.#endPageThreads(), IDLE_MS).unref();
    }
  }

  #assignWaiting(): void {
    while (this.#waiting.length > 0) {
      const thread = this.#freeThread();
      if (!thread) return;
      thread.assigned += 1;
      this.#waiting.shift()?.(thread);
    }
  }

  #freeThread(): PageThread | undefined {
    // Once stopped, it rejects every call.
    if (this.#stopped) return this.#queryThread;
    const [least] = this.#pages.toSorted((a, b) => a.assigned - b.assigned);
    if (least && least.assigned < AHEAD) return least;
    if (!least || (this.#waiting.length > MAX_WAITING && this.#pages.length < this.#options.pageThreads)) {
      const embedder = new OnnxEmbedder({ ...this.#options, background: true });
      const thread = { embedder, assigned: 0 };
      this.#pages.push(thread);
      return thread;
    }
    return this.#isQuiet() && this.#queryThread.assigned === 0 ? this.#queryThread : undefined;
  }

  #isQuiet(): boolean {
    const chunkMs = Math.max(0, ...Array.from(this.#models.values(), ({ model }) => model.chunkMs));
    return performance.now() - this.#queriedAt > QUIET_CHUNKS * chunkMs;
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
