import { SupervisedThread } from '../threads/supervised-thread.js';
import type { EmbeddedPassage, Embedder, EmbedderOptions, EmbedOptions, LoadedModel } from './embedder.js';
import { EmbedderCrashed, EmbeddingFailed, ModelUnavailable } from './embedder-errors.js';
import { ModelLoads, type ModelLoad } from './model-loads.js';
import { disableTelemetry } from './no-telemetry.js';
import type { FromThread, ThreadSettings, ToThread, Work } from './thread-protocol.js';
import { PendingCalls } from './pending-calls.js';
import type { Answered, Call, CallOptions } from './pending-calls.js';

/** Opening a session blocks the thread, for seconds with a large model: that is no sign that it hangs. */
const MAX_OPENING_MS = 120_000;
/** For the thread to free its sessions. */
const MAX_STOP_MS = 2_000;

type NewWork = Work extends infer Each ? (Each extends Work ? Omit<Each, 'id'> : never) : never;

/** The caller's side of the embedding thread: what waits, for how long, and what becomes of it when the thread dies. */
export class OnnxEmbedder implements Embedder {
  readonly #options: EmbedderOptions;
  readonly #calls: PendingCalls;
  readonly #thread: SupervisedThread<ToThread, FromThread>;
  readonly #models: ModelLoads;
  #nextId = 1;
  /** Counts threads, so that what belongs to a lost one is told apart. */
  #generation = 0;
  /** Whether the running thread has all its models back: until then only loads of ours are sent. */
  #serving = false;
  #watch: NodeJS.Timeout | undefined;
  #stopped = false;
  #queries = 0;
  #passages = 0;

  constructor(options: EmbedderOptions) {
    this.#options = options;
    const limits = { calls: options.maxPending ?? 256, characters: options.maxPendingCharacters ?? 16_000_000 };
    this.#calls = new PendingCalls(limits, (call) => {
      this.#givenUp(call);
    });
    this.#models = new ModelLoads((location) => this.#load(location));
    disableTelemetry();
    this.#thread = new SupervisedThread({
      url: options.threadUrl ?? new URL('./onnx-thread.js', import.meta.url),
      workerData: {
        cacheFolder: options.cacheFolder,
        hubUrl: options.hubUrl ?? 'https://huggingface.co',
        intraOpThreads: options.intraOpThreads ?? 1,
        overlapTokens: options.overlapTokens ?? 24,
      } satisfies ThreadSettings,
      // What embedding leaves behind is short-lived; with V8's own 48 MB the process took 15 to 20 MB more and was no
      // faster.
      resourceLimits: { maxYoungGenerationSizeMb: 12 },
      name: 'the embedding thread',
      restartDelayMs: options.restartDelayMs ?? 200,
      stopWithinMs: MAX_STOP_MS,
      onMessage: (message) => {
        this.#stopWatching();
        this.#onMessage(message);
      },
      onStarted: () => void this.#onStarted(),
      onLost: (reason) => this.#onLost(reason),
    });
  }

  load(location: string | undefined): Promise<LoadedModel> {
    return this.#models.load(location);
  }

  async embedQuery(fingerprint: string, text: string, options: EmbedOptions = {}): Promise<Float32Array> {
    this.#models.requireLoaded(fingerprint);
    const deadlineMs = options.deadlineMs ?? this.#options.queryDeadlineMs ?? 5_000;
    const answer = await this.#call({ type: 'query', fingerprint, text }, { ...options, deadlineMs });
    if (answer.type !== 'vector') throw new Error(`unexpected answer ${answer.type}`);
    this.#queries += 1;
    return answer.vector;
  }

  async embedContent(fingerprint: string, content: string, options: EmbedOptions = {}): Promise<EmbeddedPassage[]> {
    this.#models.requireLoaded(fingerprint);
    const deadlineMs = options.deadlineMs ?? this.#options.contentDeadlineMs ?? 120_000;
    const answer = await this.#call({ type: 'content', fingerprint, text: content }, { ...options, deadlineMs });
    if (answer.type !== 'passages') throw new Error(`unexpected answer ${answer.type}`);
    const { offsets, vectors } = answer;
    const count = offsets.length / 2;
    this.#passages += count;
    const dimensions = count === 0 ? 0 : vectors.length / count;
    return Array.from({ length: count }, (_, ordinal) => ({
      ordinal,
      start: offsets[2 * ordinal] ?? 0,
      end: offsets[2 * ordinal + 1] ?? 0,
      vector: vectors.subarray(ordinal * dimensions, (ordinal + 1) * dimensions),
    }));
  }

  ready(): boolean {
    return this.#serving && this.#models.loaded().length > 0;
  }

  stats(): { waiting: number; restarts: number; queries: number; passages: number } {
    return {
      waiting: this.#calls.size,
      restarts: this.#thread.restarts,
      queries: this.#queries,
      passages: this.#passages,
    };
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#serving = false;
    for (const call of this.#calls.all()) call.reject(new EmbedderCrashed('The embedder was stopped.'));
    this.#stopWatching();
    await this.#thread.stop();
  }

  async #load(location: string | undefined): Promise<LoadedModel> {
    const deadlineMs = this.#options.loadDeadlineMs ?? 600_000;
    return loadedModel(await this.#call({ type: 'load', location }, { deadlineMs }));
  }

  async #call(work: NewWork, options: CallOptions): Promise<Answered> {
    if (this.#stopped) throw new EmbedderCrashed('The embedder was stopped.');
    const answer = this.#calls.add({ ...work, id: this.#nextId++ }, options, (call) => {
      if (this.#serving) this.#send(call);
    });
    this.#thread.start();
    return answer;
  }

  #send(call: Call): void {
    call.sent = true;
    this.#thread.post(call.work);
  }

  #onMessage(message: FromThread): void {
    if (message.type === 'pong') return;
    const call = this.#calls.get(message.id);
    // Answered after its deadline.
    if (!call) return;
    if (message.type !== 'failed') call.resolve(message);
    else if (message.fault === 'model') call.reject(new ModelUnavailable(message.message));
    else call.reject(new EmbeddingFailed(`This text could not be embedded: ${message.message}`));
  }

  #givenUp(call: Call): void {
    if (!call.sent) return;
    this.#thread.post({ type: 'cancel', id: call.work.id });
    const opening = this.#calls.all().some(({ work, sent }) => sent && work.type === 'load');
    const patience = this.#options.hungAfterMs ?? 10_000;
    this.#expectSignOfLife(opening ? Math.max(patience, MAX_OPENING_MS) : patience);
  }

  /** Without a message within that time the thread is replaced. */
  #expectSignOfLife(withinMs: number): void {
    if (this.#watch) return;
    this.#thread.post({ type: 'ping' });
    this.#watch = setTimeout(() => {
      this.#thread.lose(`the embedding thread gave no sign of life for ${withinMs} ms`);
    }, withinMs);
  }

  #stopWatching(): void {
    clearTimeout(this.#watch);
    this.#watch = undefined;
  }

  async #onStarted(): Promise<void> {
    const generation = ++this.#generation;
    const outcomes = await Promise.all(this.#models.loaded().map((loading) => this.#reload(loading)));
    const faults = outcomes.filter((each) => each !== '');
    if (generation !== this.#generation) return;
    if (faults.length > 0 && faults.length === this.#models.loaded().length) {
      this.#thread.lose(faults.join('; '));
      return;
    }
    for (const fault of faults) this.#options.onFault?.(fault);
    this.#serving = true;
    for (const call of this.#calls.all()) if (!call.sent) this.#send(call);
  }

  /** What went wrong, or an empty string. */
  async #reload({ location, model }: ModelLoad): Promise<string> {
    try {
      const deadlineMs = Math.min(this.#options.loadDeadlineMs ?? MAX_OPENING_MS, MAX_OPENING_MS);
      const work = { type: 'load', location, id: this.#nextId++ } as const;
      const again = loadedModel(
        await this.#calls.add(work, { deadlineMs }, (call) => {
          this.#send(call);
        }),
      );
      if (again.fingerprint === model.fingerprint) return '';
      return `the model in ${model.location} has changed since it was loaded`;
    } catch (error) {
      return `the model in ${model.location} could not be loaded again: ${String(error)}`;
    }
  }

  #onLost(reason: string): boolean {
    this.#stopWatching();
    this.#generation += 1;
    this.#serving = false;
    if (!this.#stopped) this.#options.onFault?.(reason);
    for (const call of this.#calls.all()) {
      if (call.sent) call.reject(new EmbedderCrashed(`Lost with its thread: ${reason}`));
    }
    return this.#models.loaded().length > 0 || this.#calls.size > 0;
  }
}

function loadedModel(answer: Answered): LoadedModel {
  if (answer.type !== 'loaded') throw new Error(`unexpected answer ${answer.type}`);
  return answer.model;
}
