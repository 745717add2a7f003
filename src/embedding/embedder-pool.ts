import { LRUCache } from 'lru-cache';
import { messageOf } from '../base/errors.js';
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
import { EmbedderOverloaded, ModelUnavailable } from './embedder-errors.js';
import { locateModel } from './locate-model.js';
import type { Answer, Task } from './onnx-thread.js';
import { ThreadPool } from './thread-pool.js';

/**
 * The thread for queries embeds a chunk of a page only when it had time for this many of the longest chunks since the
 * last query: a query waits for one chunk at most. With a pause of a second instead, pages took 1.3 times as long
 * (decision 0092).
 */
const QUIET_CHUNKS = 1.5;

/** The max concurrent tasks of one call, so that a long page leaves room for others. */
const TASKS_AT_ONCE = 8;

/** A task of a quick model has chunks for this time, since a task itself takes a tenth of a millisecond. */
const QUICK_TASK_MS = 2;

/** Characters of a page that the thread for queries may split, in 5 to 20 ms; ten times that without spaces. */
const MAX_SHORT_PAGE = 50_000;

/** Deadlines of tasks; a load includes downloads. */
const MAX_QUERY_MS = 5_000;
const MAX_CONTENT_MS = 120_000;
const MAX_LOAD_MS = 600_000;

/** Cached vectors of queries and chunks: 3 MB of 384 numbers each. */
const MAX_CACHED = 2_048;
const MAX_CACHED_CHARACTERS = 2_000_000;

const chunkKey = (fingerprint: string, hash: bigint): string => `passage ${fingerprint} ${hash}`;

/**
 * An embedder with one thread for queries, and several for pages, since onnxruntime blocks its thread for a whole
 * chunk. Threads for pages start on demand, end when idle, and have a lower priority. Without searches, the thread for
 * queries embeds pages, too (docs/evidence/decisions/0092-threads-for-pages.md).
 */
export class EmbedderPool implements Embedder {
  readonly #options: EmbedderOptions;
  readonly #queries: ThreadPool;
  readonly #pages: ThreadPool;
  #queriedAt = -Infinity;
  /** Models by their location. A failed load may be tried again. */
  readonly #loads = new Map<string, Promise<LoadedModel>>();
  readonly #loaded = new Map<string, LoadedModel>();
  /** The fingerprints of unloaded models. Tasks carry them, so that every thread frees these models. */
  #unloaded: string[] = [];
  #reopening = 0;
  readonly #cached = new LRUCache<string, Float32Array>({
    max: MAX_CACHED,
    maxSize: MAX_CACHED_CHARACTERS,
    sizeCalculation: (_vector, key) => key.length,
  });
  readonly #flights = new SingleFlight<Float32Array>();
  /** The calls without an answer in each lane, and the number of embedded queries and chunks. */
  readonly #lanes = { queries: { calls: 0, characters: 0 }, pages: { calls: 0, characters: 0 } };
  readonly #done = { queries: 0, passages: 0 };
  #stopped = false;

  constructor(options: EmbedderOptions & { pageThreads: number }) {
    this.#options = options;
    const onLost = (): void => void this.#reopen();
    this.#queries = new ThreadPool({ ...options, min: 1, max: 1, background: false, onLost });
    this.#pages = new ThreadPool({ ...options, min: 0, max: options.pageThreads, background: true });
  }

  load(location: string): Promise<LoadedModel> {
    let load = this.#loads.get(location);
    if (!load) {
      load = this.#load(location);
      this.#loads.set(location, load);
      load.catch(() => this.#loads.delete(location));
    }
    return load;
  }

  unload(fingerprint: string): void {
    for (const [location, model] of this.#loaded) {
      if (model.fingerprint !== fingerprint) continue;
      this.#loaded.delete(location);
      this.#loads.delete(location);
      this.#unloaded.push(fingerprint);
      // This task makes the thread free the model now.
      void this.#queries.run({ ...this.#task(location), type: 'load', cancelled: true }, MAX_LOAD_MS).catch(() => 0);
    }
  }

  embedQuery(fingerprint: string, text: string, options: EmbedOptions = {}): Promise<Float32Array> {
    this.#queriedAt = performance.now();
    return this.#admitted('queries', text.length, () =>
      this.#once(`query ${fingerprint} ${text}`, options.signal, async (signal) => {
        const task: Task = { ...this.#task(this.#location(fingerprint)), type: 'query', fingerprint, text };
        const answer = await this.#queries.run(task, options.deadlineMs ?? MAX_QUERY_MS, signal);
        this.#done.queries += 1;
        return vectorsOf(answer)[0] as Float32Array;
      }),
    );
  }

  embedContent(fingerprint: string, content: string, options: ContentOptions = {}): Promise<EmbeddedChunk[]> {
    return this.#admitted('pages', content.length, () => this.#embedContent(fingerprint, content, options));
  }

  keep(fingerprint: string, vectors: ReadonlyMap<bigint, Float32Array>): void {
    for (const [hash, vector] of vectors) this.#cached.set(chunkKey(fingerprint, hash), vector);
  }

  ready(): boolean {
    return !this.#stopped && this.#reopening === 0;
  }

  stats(): ReturnType<Embedder['stats']> {
    const waiting = this.#lanes.queries.calls + this.#lanes.pages.calls;
    return { waiting, restarts: this.#queries.restarts + this.#pages.restarts, ...this.#done };
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all([this.#queries.stop(), this.#pages.stop()]);
  }

  async #load(location: string): Promise<LoadedModel> {
    const { cacheFolder, hubUrl = 'https://huggingface.co' } = this.#options;
    // The download happens here, so that the thread goes on with queries.
    await locateModel(location, cacheFolder, hubUrl);
    const model = await this.#open(location);
    this.#unloaded = this.#unloaded.filter((fingerprint) => fingerprint !== model.fingerprint);
    this.#loaded.set(location, model);
    return model;
  }

  async #open(location: string): Promise<LoadedModel> {
    const answer = await this.#queries.run({ ...this.#task(location), type: 'load' }, MAX_LOAD_MS);
    return (answer as Extract<Answer, { model: unknown }>).model;
  }

  /** Opens all models in a new thread for queries. */
  async #reopen(): Promise<void> {
    this.#reopening += 1;
    for (const [location, { fingerprint }] of this.#loaded) {
      const reason = await this.#open(location).then(
        (model) => model.fingerprint !== fingerprint && 'it has changed since it was loaded',
        (error: unknown) => messageOf(error),
      );
      if (reason) this.#options.onFault?.(`the model in ${location} could not be loaded again: ${reason}`);
    }
    this.#reopening -= 1;
  }

  #task(location: string): Pick<Task, 'location' | 'unloaded'> {
    return { location, unloaded: this.#unloaded };
  }

  #location(fingerprint: string): string {
    for (const [location, model] of this.#loaded) if (model.fingerprint === fingerprint) return location;
    throw new ModelUnavailable(`No model with the fingerprint ${fingerprint} is loaded.`);
  }

  async #embedContent(fingerprint: string, content: string, options: ContentOptions): Promise<EmbeddedChunk[]> {
    const location = this.#location(fingerprint);
    const { signal, deadlineMs = MAX_CONTENT_MS, known } = options;
    const model = this.#loaded.get(location) as LoadedModel;
    const quick = isQuick(model);
    // To split a short page takes a millisecond, and must not start a thread for pages with another copy of the model.
    const short = content.length <= MAX_SHORT_PAGE;
    const splitter = short && (quick || !this.#pages.hasThreads) ? this.#queries : this.#pagesThreads();
    const splitting: Task = { ...this.#task(location), type: 'split', fingerprint, text: content };
    const { offsets } = (await splitter.run(splitting, deadlineMs, signal)) as Extract<Answer, { offsets: unknown }>;
    const chunks = Array.from({ length: offsets.length / 2 }, (_, ordinal) => {
      const [start = 0, end = 0] = offsets.subarray(2 * ordinal);
      return { ordinal, start, end };
    });
    const texts = chunks.map(({ start, end }) => content.slice(start, end));
    const embed = async (batch: string[], givenUp: AbortSignal | undefined): Promise<Float32Array[]> => {
      const task: Task = { ...this.#task(location), type: 'passages', fingerprint, texts: batch };
      const pool = quick ? this.#queries : this.#pagesThreads();
      const answer = await pool.run(task, deadlineMs, givenUp);
      this.#done.passages += batch.length;
      return vectorsOf(answer);
    };
    const embedOnce = (text: string): Promise<Float32Array> =>
      this.#once(chunkKey(fingerprint, hashText(text)), signal, async (givenUp) => {
        const [vector] = await embed([text], givenUp);
        return vector as Float32Array;
      });
    const vectors = (quick ? undefined : await known?.(texts)) ?? [];
    const size = quick ? Math.max(1, Math.round(QUICK_TASK_MS / model.chunkMs)) : 1;
    let next = 0;
    const embedNext = async (): Promise<void> => {
      for (let at = next; at < texts.length; at = next) {
        next += size;
        if (!quick) vectors[at] ??= await embedOnce(texts[at] as string);
        else
          for (const [n, vector] of (await embed(texts.slice(at, at + size), signal)).entries())
            vectors[at + n] = vector;
      }
    };
    await Promise.all(Array.from({ length: TASKS_AT_ONCE }, embedNext));
    return chunks.map((chunk, at) => ({ ...chunk, vector: vectors[at] as Float32Array }));
  }

  /** Returns the cached or pending vector of a text; otherwise embeds the text. */
  async #once(key: string, signal: AbortSignal | undefined, embed: (signal: AbortSignal) => Promise<Float32Array>) {
    signal?.throwIfAborted();
    const kept = this.#cached.get(key);
    if (kept) return kept;
    const { result } = await this.#flights.run(key, signal, embed);
    this.#cached.set(key, result);
    return result;
  }

  /** Does the work of a call unless too many wait in its lane. */
  async #admitted<T>(name: 'queries' | 'pages', characters: number, work: () => Promise<T>): Promise<T> {
    const { maxPending = 256, maxPendingCharacters = 16_000_000 } = this.#options;
    const lane = this.#lanes[name];
    if (lane.calls >= maxPending) throw new EmbedderOverloaded(`${lane.calls} ${name} are waiting already.`);
    // A text over the limit is accepted if no other waits, or it could never be embedded.
    if (lane.calls > 0 && lane.characters + characters > maxPendingCharacters)
      throw new EmbedderOverloaded(`${lane.characters + characters} characters of ${name} would be waiting.`);
    lane.calls += 1;
    lane.characters += characters;
    try {
      return await work();
    } finally {
      lane.calls -= 1;
      lane.characters -= characters;
    }
  }

  /**
   * Returns the threads that embed pages now: the thread for queries, if it has been quiet and all threads for pages
   * work; otherwise those for pages.
   */
  #pagesThreads(): ThreadPool {
    const chunkMs = Math.max(0, ...Array.from(this.#loaded.values(), (model) => model.chunkMs));
    const quiet = this.#queries.isFree && performance.now() - this.#queriedAt > QUIET_CHUNKS * chunkMs;
    return quiet && !this.#pages.isFree ? this.#queries : this.#pages;
  }
}

function vectorsOf(answer: Answer): Float32Array[] {
  return (answer as Extract<Answer, { vectors: unknown }>).vectors;
}
