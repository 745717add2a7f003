import { SupervisedThread } from '../platform/supervised-thread.js';
import type { EmbeddedPassage, Embedder, EmbedderOptions, EmbedOptions, LoadedModel } from './embedder.js';
import { EmbedderCrashed, EmbeddingFailed, ModelUnavailable } from './embedder-errors.js';
import { ModelLoads, type ModelLoad } from './model-loads.js';
import { disableTelemetry } from './no-telemetry.js';
import type { FromThread, ThreadSettings, ToThread, Work } from './thread-protocol.js';
import { ThreadCalls, type Answered, type Call, type CallOptions } from './thread-calls.js';

/**
 * Opening a session blocks the thread, for seconds with a large model. Silence during that time does not mean that the
 * thread hangs.
 */
const MAX_OPENING_MS = 120_000;
/** Time for the thread to free its sessions. */
const MAX_STOP_MS = 2_000;

type NewWork = Work extends infer Each ? (Each extends Work ? Omit<Each, 'id'> : never) : never;

/**
 * The main thread's side of the embedding thread: pending calls, their deadlines, and their end when the thread dies.
 * Starts no thread before the first `load`.
 */
export class OnnxEmbedder implements Embedder {
  readonly #options: EmbedderOptions;
  readonly #calls: ThreadCalls;
  readonly #thread: SupervisedThread<ToThread, FromThread>;
  readonly #models: ModelLoads;
  #nextId = 1;
  /** Number of the current thread. It tells work of a lost thread apart. */
  #generation = 0;
  /** Whether the running thread has loaded all its models. Until then it is sent loads only. */
  #serving = false;
  #replyTimer: NodeJS.Timeout | undefined;
  #stopped = false;
  #queries = 0;
  #passages = 0;

  constructor(options: EmbedderOptions) {
    this.#options = options;
    const limits = { calls: options.maxPending ?? 256, characters: options.maxPendingCharacters ?? 16_000_000 };
    this.#calls = new ThreadCalls(limits, (call) => {
      this.#onAbandoned(call);
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
        background: options.background ?? false,
      } satisfies ThreadSettings,
      // Garbage of embedding is short-lived. With the 48 MB that V8 chooses the process took 15 to 20 MB more and was
      // no faster.
      resourceLimits: { maxYoungGenerationSizeMb: 12 },
      name: 'the embedding thread',
      restartDelayMs: options.restartDelayMs ?? 200,
      stopWithinMs: MAX_STOP_MS,
      onMessage: (message) => {
        this.#stopReplyTimer();
        this.#onMessage(message);
      },
      onStarted: () => void this.#onStarted(),
      onLost: (reason) => this.#onLost(reason),
    });
  }

  load(location: string): Promise<LoadedModel> {
    return this.#models.load(location);
  }

  unload(fingerprint: string): void {
    this.#models.forget(fingerprint);
    this.#thread.post({ type: 'unload', fingerprint });
  }

  async embedQuery(fingerprint: string, text: string, options: EmbedOptions = {}): Promise<Float32Array> {
    const vector = vectorOf(await this.#ask({ type: 'query', fingerprint, text }, options));
    this.#queries += 1;
    return vector;
  }

  async embedContent(fingerprint: string, content: string, options: EmbedOptions = {}): Promise<EmbeddedPassage[]> {
    const passages = passagesOf(await this.#ask({ type: 'content', fingerprint, text: content }, options));
    this.#passages += passages.length;
    return passages;
  }

  /** The passages of a content, with empty vectors. */
  async split(fingerprint: string, content: string, options: EmbedOptions = {}): Promise<EmbeddedPassage[]> {
    return passagesOf(await this.#ask({ type: 'split', fingerprint, text: content }, options));
  }

  async embedPassage(fingerprint: string, text: string, options: EmbedOptions = {}): Promise<Float32Array> {
    const vector = vectorOf(await this.#ask({ type: 'passage', fingerprint, text }, options));
    this.#passages += 1;
    return vector;
  }

  ready(): boolean {
    return this.#serving || this.#models.loaded().length === 0;
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
    this.#stopReplyTimer();
    await this.#thread.stop();
  }

  async #load(location: string): Promise<LoadedModel> {
    const deadlineMs = this.#options.loadDeadlineMs ?? 600_000;
    return loadedModel(await this.#call({ type: 'load', location }, { deadlineMs }));
  }

  async #ask(work: Exclude<NewWork, { type: 'load' }>, options: EmbedOptions): Promise<Answered> {
    this.#models.requireLoaded(work.fingerprint);
    const { queryDeadlineMs = 5_000, contentDeadlineMs = 120_000 } = this.#options;
    return this.#call(work, { deadlineMs: work.type === 'query' ? queryDeadlineMs : contentDeadlineMs, ...options });
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
    // The answer came after the deadline.
    if (!call) return;
    if (message.type !== 'failed') call.resolve(message);
    else if (message.fault === 'model') call.reject(new ModelUnavailable(message.message));
    else call.reject(new EmbeddingFailed(`This text could not be embedded: ${message.message}`));
  }

  #onAbandoned(call: Call): void {
    if (!call.sent) return;
    this.#thread.post({ type: 'cancel', id: call.work.id });
    const loading = this.#calls.all().some(({ work, sent }) => sent && work.type === 'load');
    const maxSilenceMs = this.#options.hungAfterMs ?? 10_000;
    this.#requireReply(loading ? Math.max(maxSilenceMs, MAX_OPENING_MS) : maxSilenceMs);
  }

  /** Replaces the thread unless it sends a message within that time. */
  #requireReply(withinMs: number): void {
    if (this.#replyTimer) return;
    this.#thread.post({ type: 'ping' });
    this.#replyTimer = setTimeout(() => {
      this.#thread.lose(`the embedding thread gave no sign of life for ${withinMs} ms`);
    }, withinMs);
  }

  #stopReplyTimer(): void {
    clearTimeout(this.#replyTimer);
    this.#replyTimer = undefined;
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

  /** The reason of a failure, or an empty string. */
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
    this.#stopReplyTimer();
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

function vectorOf(answer: Answered): Float32Array {
  if (answer.type !== 'vector') throw new Error(`unexpected answer ${answer.type}`);
  return answer.vector;
}

function passagesOf(answer: Answered): EmbeddedPassage[] {
  if (answer.type !== 'passages') throw new Error(`unexpected answer ${answer.type}`);
  const { offsets, vectors } = answer;
  const count = offsets.length / 2;
  const dimensions = count === 0 ? 0 : vectors.length / count;
  return Array.from({ length: count }, (_, ordinal) => ({
    ordinal,
    start: offsets[2 * ordinal] ?? 0,
    end: offsets[2 * ordinal + 1] ?? 0,
    vector: vectors.subarray(ordinal * dimensions, (ordinal + 1) * dimensions),
  }));
}
