import { ModelUnavailable } from './embedder-errors.js';
import type { OnnxModel } from './onnx-model.js';
import { splitChunks, type Chunk } from './split-chunks.js';
import type { FromThread, Work } from './thread-calls.js';
import { messageOf } from '../base/errors.js';

type TextWork = Exclude<Work, { type: 'load' }>;
type Answer = (message: FromThread, transfer?: ArrayBuffer[]) => void;

/**
 * Interval of looking for queries; one chunk may take longer. Looking after each short page took a fifth of the
 * thread's time.
 */
const MAX_PAGES_TURN_MS = 2;

/** A page that took this long goes to the end of the queue. Texts without spaces take ten times as long as prose. */
const MAX_PAGE_TURN_MS = 250;

/** A sentence of at most so many tokens is repeated at the start of the next chunk. */
const OVERLAP_TOKENS = 24;

interface Page {
  work: TextWork;
  /** The remaining chunks; undefined before the first. */
  left?: Generator<Chunk>;
  chunks: Chunk[];
  vectors: Float32Array[];
}

/**
 * The two lanes of the thread: queries first. Pages are embedded one after the other, long ones in turns. Every two
 * milliseconds, between two chunks, the thread answers all waiting queries and drops cancelled work.
 */
export class ThreadLanes {
  readonly #models: ReadonlyMap<string, OnnxModel>;
  readonly #answer: Answer;
  readonly #queries: TextWork[] = [];
  readonly #pages: Page[] = [];
  /** The page that is being embedded, unless it was cancelled. */
  #page: number | undefined;
  #working = false;
  /** When to look for queries next, in `performance.now()` milliseconds. */
  #turnEnds = 0;

  constructor(models: ReadonlyMap<string, OnnxModel>, answer: Answer) {
    this.#models = models;
    this.#answer = answer;
  }

  push(work: TextWork): void {
    if (work.type === 'query') this.#queries.push(work);
    else this.#pages.push({ work, chunks: [], vectors: [] });
    void this.#run();
  }

  cancel(id: number): void {
    if (this.#page === id) this.#page = undefined;
    const query = this.#queries.findIndex((work) => work.id === id);
    if (query >= 0) this.#queries.splice(query, 1);
    const page = this.#pages.findIndex(({ work }) => work.id === id);
    if (page >= 0) this.#pages.splice(page, 1);
  }

  async #run(): Promise<void> {
    if (this.#working) return;
    this.#working = true;
    do {
      if (this.#pages.length === 0 || performance.now() >= this.#turnEnds) await this.#answerQueries();
      const page = this.#pages.shift();
      if (page) await this.#attempt(page.work, () => this.#embedPage(page));
    } while (this.#pages.length > 0 || this.#queries.length > 0);
    this.#working = false;
  }

  async #answerQueries(): Promise<void> {
    // One turn of the event loop: incoming messages are read here.
    await new Promise((resolve) => setImmediate(resolve));
    for (let query = this.#queries.shift(); query; query = this.#queries.shift()) {
      const { id, text, fingerprint } = query;
      await this.#attempt(query, async () => {
        const vector = await this.#model(fingerprint).embed('query', text);
        this.#answer({ type: 'vector', id, vector }, [vector.buffer as ArrayBuffer]);
      });
    }
    this.#turnEnds = performance.now() + MAX_PAGES_TURN_MS;
  }

  async #embedPage(page: Page): Promise<void> {
    const { work, chunks, vectors } = page;
    const { id, text, fingerprint } = work;
    const model = this.#model(fingerprint);
    if (work.type === 'passage') {
      const vector = await model.embed('passage', text);
      this.#answer({ type: 'vector', id, vector }, [vector.buffer as ArrayBuffer]);
      return;
    }
    const count = (sentence: string): number => model.countTokens(sentence);
    const left = (page.left ??= splitChunks(text, count, model.chunkRoom, OVERLAP_TOKENS));
    const until = performance.now() + MAX_PAGE_TURN_MS;
    this.#page = id;
    for (let next = left.next(); next.done !== true; next = left.next()) {
      chunks.push(next.value);
      if (work.type === 'content')
        vectors.push(await model.embed('passage', text.slice(next.value.start, next.value.end)));
      const now = performance.now();
      if (now < this.#turnEnds) continue;
      await this.#answerQueries();
      if (this.#page !== id) return;
      if (now < until || this.#pages.length === 0) continue;
      this.#page = undefined;
      this.#pages.push(page);
      return;
    }
    const offsets = Int32Array.from(chunks.flatMap(({ start, end }) => [start, end]));
    const dimensions = vectors[0]?.length ?? 0;
    const joined = new Float32Array(vectors.length * dimensions);
    vectors.forEach((vector, at) => joined.set(vector, at * dimensions));
    this.#answer({ type: 'passages', id, offsets, vectors: joined }, [offsets.buffer, joined.buffer]);
  }

  /** Answers the call with the error when `task` throws. */
  async #attempt({ id }: TextWork, task: () => Promise<void>): Promise<void> {
    try {
      await task();
    } catch (error) {
      const fault = error instanceof ModelUnavailable ? 'model' : 'text';
      const message = messageOf(error);
      this.#answer({ type: 'failed', id, fault, message });
    }
  }

  #model(fingerprint: string): OnnxModel {
    const model = this.#models.get(fingerprint);
    if (!model) throw new ModelUnavailable(`No model with the fingerprint ${fingerprint} is loaded.`);
    return model;
  }
}
