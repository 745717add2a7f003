import type { FromThread, ThreadSettings, Work } from './thread-protocol.js';
import type { OnnxModel } from './onnx-model.js';
import { ModelUnavailable } from './errors.js';
import { batchesOf, embedBatch, refuseNonsense, type CutPage } from './page-batches.js';
import { passagesOf } from './split-passages.js';
import type { Passage } from './split-passages.js';

export type TextWork = Exclude<Work, { type: 'load' }>;
type Answer = (message: FromThread, transfer?: ArrayBuffer[]) => void;

/** Splitting and counting go on this long before queries get their turn: about one batch of a static model. */
const SPLIT_TURN_MS = 10;

/** Pages are taken together until they have so many passages: enough to find some of one length for each batch. */
const PASSAGES_AT_ONCE = 64;

/**
 * The two lanes of the thread. Queries go first: pages are worked through in small batches, and all queries that came
 * meanwhile are answered between two of them. Work that was cancelled is dropped there too.
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
      if (this.#pages.length > 0) await this.#embedPages(await this.#cutPages());
      else if (this.#queries.length === 0) break;
    }
    this.#working = false;
  }

  async #answerQueries(): Promise<void> {
    // A turn of the event loop: this is when messages come in.
    await new Promise((resolve) => setImmediate(resolve));
    for (let query = this.#queries.shift(); query; query = this.#queries.shift()) {
      const { id, text, fingerprint } = query;
      await this.#attempt(query, async () => {
        const [vector = new Float32Array()] = await this.#model(fingerprint).embed('query', [text]);
        refuseNonsense(vector);
        this.#answer({ type: 'vector', id, vector }, [vector.buffer as ArrayBuffer]);
        this.#forget(id);
      });
    }
  }

  /** Cuts the next pages of one model into passages, until there are enough for full batches. */
  async #cutPages(): Promise<CutPage[]> {
    const cut: CutPage[] = [];
    let passages = 0;
    for (let work = this.#pages[0]; work && passages < PASSAGES_AT_ONCE; work = this.#pages[0]) {
      if (cut[0] && work.fingerprint !== cut[0].fingerprint) break;
      this.#pages.shift();
      const page = await this.#attempt(work, () => this.#cutPage(work));
      if (!page) continue;
      cut.push(page);
      passages += page.rows.length;
    }
    return cut;
  }

  async #cutPage({ id, text, fingerprint }: TextWork): Promise<CutPage | undefined> {
    const model = this.#model(fingerprint);
    const passages: Passage[] = [];
    let turnEnds = performance.now() + SPLIT_TURN_MS;
    const read = model.read(text);
    const count = (sentence: string, start: number) => read.count(start, start + sentence.length);
    for (const passage of passagesOf(text, count, model.passageRoom, this.#settings.overlapTokens)) {
      passages.push(passage);
      if (performance.now() < turnEnds) continue;
      await this.#answerQueries();
      if (this.#dropped(id)) return undefined;
      turnEnds = performance.now() + SPLIT_TURN_MS;
    }
    const rows = passages.map(({ start, end }) => model.passageRow(read, start, end));
    return {
      id,
      fingerprint,
      model,
      passages,
      rows,
      vectors: new Float32Array(rows.length * model.manifest.dimensions),
      left: rows.length,
    };
  }

  async #embedPages(pages: readonly CutPage[]): Promise<void> {
    const [first] = pages;
    if (!first) return;
    const most = this.#settings.batchSize * first.model.manifest.maximumTokens;
    for (const page of pages) if (page.left === 0) this.#answerPage(page);
    for (const whole of batchesOf(pages, most)) {
      const batch = whole.filter(({ page }) => this.#known.has(page.id) && !this.#dropped(page.id));
      try {
        await embedBatch(batch);
      } catch {
        // One of them is at fault; which one, each tells by itself.
        for (const place of batch) await this.#attempt(place.page, () => embedBatch([place]));
      }
      for (const page of new Set(batch.map((place) => place.page))) if (page.left === 0) this.#answerPage(page);
      await this.#answerQueries();
    }
  }

  #answerPage({ id, passages, vectors }: CutPage): void {
    if (this.#dropped(id) || !this.#known.has(id)) return;
    this.#forget(id);
    const offsets = Int32Array.from(passages.flatMap(({ start, end }) => [start, end]));
    this.#answer({ type: 'passages', id, offsets, vectors }, [offsets.buffer, vectors.buffer as ArrayBuffer]);
  }

  /** What `task` gives; where it throws, its call is answered with that and nothing is given. */
  async #attempt<T>({ id }: { id: number }, task: () => Promise<T>): Promise<T | undefined> {
    if (!this.#known.has(id) || this.#dropped(id)) return undefined;
    try {
      return await task();
    } catch (error) {
      const fault = error instanceof ModelUnavailable ? 'model' : 'text';
      const message = error instanceof Error ? error.message : String(error);
      this.#answer({ type: 'failed', id, fault, message });
      this.#forget(id);
      return undefined;
    }
  }

  /** Whether a call was cancelled; it is forgotten then. */
  #dropped(id: number): boolean {
    const cancelled = this.#cancelled.has(id);
    if (cancelled) this.#forget(id);
    return cancelled;
  }

  #forget(id: number): void {
    this.#cancelled.delete(id);
    this.#known.delete(id);
  }

  #model(fingerprint: string): OnnxModel {
    const model = this.#models.get(fingerprint);
    if (!model) throw new ModelUnavailable(`No model with the fingerprint ${fingerprint} is loaded.`);
    return model;
  }
}
