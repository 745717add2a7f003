import type { FromThread, ThreadSettings, Work } from './thread-protocol.js';
import type { OnnxModel } from './onnx-model.js';
import { ModelUnavailable } from './errors.js';
import { passagesOf } from './split-passages.js';
import type { Passage } from './split-passages.js';

export type TextWork = Exclude<Work, { type: 'load' }>;
type Answer = (message: FromThread, transfer?: ArrayBuffer[]) => void;

/** Splitting and counting go on this long before queries get their turn: about one batch of a static model. */
const SPLIT_TURN_MS = 10;

/**
 * The two lanes of the thread. Queries go first: a page is worked through in small batches, and all queries that
 * came meanwhile are answered between two of them. Work that was cancelled is dropped there too.
 */
export class WorkLanes {
  readonly #models: ReadonlyMap<string, OnnxModel>;
  readonly #settings: ThreadSettings;
  readonly #answer: Answer;
  readonly #queries: TextWork[] = [];
  readonly #pages: TextWork[] = [];
  readonly #cancelled = new Set<number>();
  readonly #known = new Set<number>();
  #working = false;

  constructor(models: ReadonlyMap<string, OnnxModel>, settings: ThreadSettings, answer: Answer) {
    this.#models = models;
    this.#settings = settings;
    this.#answer = answer;
  }

  push(work: TextWork): void {
    this.#known.add(work.id);
    (work.type === 'query' ? this.#queries : this.#pages).push(work);
    void this.#run();
  }

  cancel(id: number): void {
    if (this.#known.has(id)) this.#cancelled.add(id);
  }

  async #run(): Promise<void> {
    if (this.#working) return;
    this.#working = true;
    for (;;) {
      await this.#answerQueries();
      const page = this.#pages.shift();
      if (page) await this.#finish(page, () => this.#embedPage(page));
      else if (this.#queries.length === 0) break;
    }
    this.#working = false;
  }

  async #answerQueries(): Promise<void> {
    // A turn of the event loop: this is when messages come in.
    await new Promise((resolve) => setImmediate(resolve));
    for (let query = this.#queries.shift(); query; query = this.#queries.shift()) {
      const { id, text, fingerprint } = query;
      await this.#finish(query, async () => {
        const [vector = new Float32Array()] = await this.#model(fingerprint).embed('query', [text]);
        refuseNonsense(vector);
        this.#answer({ type: 'vector', id, vector }, [vector.buffer as ArrayBuffer]);
      });
    }
  }

  async #embedPage({ id, text, fingerprint }: TextWork): Promise<void> {
    const model = this.#model(fingerprint);
    const passages: Passage[] = [];
    let turnEnds = performance.now() + SPLIT_TURN_MS;
    const count = (sentence: string) => model.countTokens(sentence);
    for (const passage of passagesOf(text, count, model.passageRoom, this.#settings.overlapTokens)) {
      passages.push(passage);
      if (performance.now() < turnEnds) continue;
      await this.#answerQueries();
      if (this.#cancelled.has(id)) return;
      turnEnds = performance.now() + SPLIT_TURN_MS;
    }

    const { dimensions } = model.manifest;
    const vectors = new Float32Array(passages.length * dimensions);
    // Texts of one length side by side: a batch is padded to its longest.
    const tokens = (at: number) => passages[at]?.tokens ?? 0;
    const order = passages.map((_, index) => index).sort((a, b) => tokens(a) - tokens(b));
    for (let from = 0; from < order.length; from += this.#settings.batchSize) {
      const batch = order.slice(from, from + this.#settings.batchSize);
      const rows = await model.embed('passage', batch.map((at) => text.slice(passages[at]?.start, passages[at]?.end)));
      rows.forEach((row, index) => { vectors.set(row, (batch[index] ?? 0) * dimensions); });
      await this.#answerQueries();
      if (this.#cancelled.has(id)) return;
    }
    refuseNonsense(vectors);
    const offsets = Int32Array.from(passages.flatMap(({ start, end }) => [start, end]));
    this.#answer({ type: 'passages', id, offsets, vectors }, [offsets.buffer, vectors.buffer]);
  }

  async #finish(work: TextWork, task: () => Promise<void>): Promise<void> {
    try {
      if (!this.#cancelled.has(work.id)) await task();
    } catch (error) {
      const fault = error instanceof ModelUnavailable ? 'model' : 'text';
      const message = error instanceof Error ? error.message : String(error);
      this.#answer({ type: 'failed', id: work.id, fault, message });
    } finally {
      this.#cancelled.delete(work.id);
      this.#known.delete(work.id);
    }
  }

  #model(fingerprint: string): OnnxModel {
    const model = this.#models.get(fingerprint);
    if (!model) throw new ModelUnavailable(`No model with the fingerprint ${fingerprint} is loaded.`);
    return model;
  }
}

function refuseNonsense(vectors: Float32Array): void {
  if (!vectors.every(Number.isFinite)) throw new Error('The model gave a vector that is not made of numbers.');
}
