import { ModelUnavailable } from './embedder-errors.js';
import type { OnnxModel } from './onnx-model.js';
import { splitPassages, type Passage } from './split-passages.js';
import type { FromThread, ThreadSettings, Work } from './thread-protocol.js';
import { messageOf } from '../base/errors.js';

export type TextWork = Exclude<Work, { type: 'load' }>;
type Answer = (message: FromThread, transfer?: ArrayBuffer[]) => void;

/**
 * Max time for passages before queries have their turn. One passage may take longer. A turn for each short page took a
 * fifth of the thread's time.
 */
const MAX_PAGES_TURN_MS = 2;

/**
 * The two lanes of the thread: queries first. Pages are embedded one after the other. Every two milliseconds, between
 * two passages, the thread answers all waiting queries and drops cancelled work.
 */
export class ThreadLanes {
  readonly #models: ReadonlyMap<string, OnnxModel>;
  readonly #settings: ThreadSettings;
  readonly #answer: Answer;
  readonly #queries: TextWork[] = [];
  readonly #pages: TextWork[] = [];
  /** The page that is being embedded, unless it was cancelled. */
  #page: number | undefined;
  #working = false;
  /** In monotonic milliseconds; before it no query is looked for. */
  #turnEnds = 0;

  constructor(models: ReadonlyMap<string, OnnxModel>, settings: ThreadSettings, answer: Answer) {
    this.#models = models;
    this.#settings = settings;
    this.#answer = answer;
  }

  push(work: TextWork): void {
    (work.type === 'query' ? this.#queries : this.#pages).push(work);
    void this.#run();
  }

  cancel(id: number): void {
    if (this.#page === id) this.#page = undefined;
    for (const lane of [this.#queries, this.#pages]) {
      const at = lane.findIndex((work) => work.id === id);
      if (at >= 0) lane.splice(at, 1);
    }
  }

  async #run(): Promise<void> {
    if (this.#working) return;
    this.#working = true;
    do {
      if (this.#pages.length === 0 || performance.now() >= this.#turnEnds) await this.#answerQueries();
      const page = this.#pages.shift();
      if (page) await this.#attempt(page, () => this.#embedPage(page));
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

  async #embedPage({ id, text, fingerprint }: TextWork): Promise<void> {
    const model = this.#model(fingerprint);
    const count = (sentence: string): number => model.countTokens(sentence);
    const passages: Passage[] = [];
    const vectors: Float32Array[] = [];
    this.#page = id;
    for (const passage of splitPassages(text, count, model.passageRoom, this.#settings.overlapTokens)) {
      passages.push(passage);
      vectors.push(await model.embed('passage', text.slice(passage.start, passage.end)));
      if (performance.now() < this.#turnEnds) continue;
      await this.#answerQueries();
      if (this.#page !== id) return;
    }
    const offsets = Int32Array.from(passages.flatMap(({ start, end }) => [start, end]));
    const dimensions = vectors[0]?.length ?? 0;
    const joined = new Float32Array(vectors.length * dimensions);
    vectors.forEach((vector, at) => {
      joined.set(vector, at * dimensions);
    });
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
