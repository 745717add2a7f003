import { SupervisedThread } from '../platform/supervised-thread.js';
import type { EmbeddedChunk, Embedder, EmbedderOptions, EmbedOptions, LoadedModel } from './embedder.js';
import { EmbedderCrashed, EmbeddingFailed, ModelUnavailable } from './embedder-errors.js';
import {
  loadedModel,
  chunksOf,
  ThreadCalls,
  vectorOf,
  type Answered,
  type Call,
  type CallOptions,
  type FromThread,
  type ThreadSettings,
  type ToThread,
  type Work,
} from './thread-calls.js';

/**
 * Opening a session blocks the thread, for seconds with a large model. Silence during that time does not mean that the
 * thread hangs.
 */
const MAX_OPENING_MS = 120_000;
/** Deadlines of calls; a load includes downloads. */
const MAX_QUERY_MS = 5_000;
const MAX_CONTENT_MS = 120_000;
const MAX_LOAD_MS = 600_000;
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
  /** Models by their location. A failed load may be tried again. */
  readonly #loads = new Map<string, Promise<LoadedModel>>();
  /** Loaded models, which a new thread loads again. */
  readonly #loaded = new Map<string, LoadedModel>();
  #nextId = 1;
  /** Number of the current thread, to recognize work of a lost one. */
  #generation = 0;
  /** Whether the thread has loaded all its models. Until then it only gets loads. */
  #serving = false;
  #replyTimer: NodeJS.Timeout | undefined;
  #stopped = false;
  #queries = 0;
  #passages = 0;

  constructor(options: EmbedderOptions) {
    this.#options = options;
    const limits = { calls: options.maxPending ?? 256, characters: options.maxPendingCharacters ?? 16_000_000 };
    this.#calls = new ThreadCalls(limits, (call) => this.#onAbandoned(call));
    disableTelemetry();
    this.#thread = new SupervisedThread({
      url: options.threadUrl ?? new URL('./onnx-thread.js', import.meta.url),
      workerData: {
        cacheFolder: options.cacheFolder,
        hubUrl: options.hubUrl ?? 'https://huggingface.co',
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
    let load = this.#loads.get(location);
    if (!load) {
      load = this.#call({ type: 'load', location }, { deadlineMs: MAX_LOAD_MS }).then(loadedModel);
      this.#loads.set(location, load);
      load.then(
        (model) => this.#loaded.set(location, model),
        () => this.#loads.delete(location),
      );
    }
    return load;
  }

  unload(fingerprint: string): void {
    for (const [location, model] of this.#loaded) {
      if (model.fingerprint !== fingerprint) continue;
      this.#loaded.delete(location);
      this.#loads.delete(location);
    }
    this.#thread.post({ type: 'unload', fingerprint });
  }

  async embedQuery(fingerprint: string, text: string, options: EmbedOptions = {}): Promise<Float32Array> {
    const vector = vectorOf(await this.#embed({ type: 'query', fingerprint, text }, options));
    this.#queries += 1;
    return vector;
  }

  async embedContent(fingerprint: string, content: string, options: EmbedOptions = {}): Promise<EmbeddedChunk[]> {
    const chunks = chunksOf(await this.#embed({ type: 'content', fingerprint, text: content }, options));
    this.#passages += chunks.length;
    return chunks;
  }

  /** The chunks of a content, with empty vectors. */
  async split(fingerprint: string, content: string, options: EmbedOptions = {}): Promise<EmbeddedChunk[]> {
    return chunksOf(await this.#embed({ type: 'split', fingerprint, text: content }, options));
  }

  async embedChunk(fingerprint: string, text: string, options: EmbedOptions = {}): Promise<Float32Array> {
    const vector = vectorOf(await this.#embed({ type: 'passage', fingerprint, text }, options));
    this.#passages += 1;
    return vector;
  }

  ready(): boolean {
    return this.#serving || this.#loaded.size === 0;
  }

  stats(): { waiting: number; restarts: number; queries: number; passages: number } {
    const { size: waiting } = this.#calls;
    return { waiting, restarts: this.#thread.restarts, queries: this.#queries, passages: this.#passages };
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#serving = false;
    for (const call of this.#calls.all()) call.reject(new EmbedderCrashed('The embedder was stopped.'));
    this.#stopReplyTimer();
    await this.#thread.stop();
  }

  async #embed(work: Exclude<NewWork, { type: 'load' }>, options: EmbedOptions): Promise<Answered> {
    if (![...this.#loaded.values()].some(({ fingerprint }) => fingerprint === work.fingerprint))
      throw new ModelUnavailable(`No model with the fingerprint ${work.fingerprint} is loaded.`);
    return this.#call(work, { deadlineMs: work.type === 'query' ? MAX_QUERY_MS : MAX_CONTENT_MS, ...options });
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
    const outcomes = await Promise.all([...this.#loaded].map(([location, model]) => this.#reload(location, model)));
    const faults = outcomes.filter((each) => each !== '');
    if (generation !== this.#generation) return;
    if (faults.length > 0 && faults.length === this.#loaded.size) {
      this.#thread.lose(faults.join('; '));
      return;
    }
    for (const fault of faults) this.#options.onFault?.(fault);
    this.#serving = true;
    for (const call of this.#calls.all()) if (!call.sent) this.#send(call);
  }

  /** The reason of a failure, or an empty string. */
  async #reload(location: string, model: LoadedModel): Promise<string> {
    try {
      const work = { type: 'load', location, id: this.#nextId++ } as const;
      const again = loadedModel(
        await this.#calls.add(work, { deadlineMs: MAX_OPENING_MS }, (call) => this.#send(call)),
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
    for (const call of this.#calls.all())
      if (call.sent) call.reject(new EmbedderCrashed(`Lost with its thread: ${reason}`));
    return this.#loaded.size > 0 || this.#calls.size > 0;
  }
}

/**
 * Turns off the telemetry of onnxruntime. Since 1.29 its official builds report what they run, and on which machine, to
 * Microsoft (github.com/microsoft/onnxruntime/pull/27379), and leave a device id in the cache of the user. onnxruntime
 * reads the variable once, when a process opens its first session, so this call must come before that. It overrides
 * what an operator has set.
 *
 * Call it on the main thread: `process.env` of a worker thread is a copy that native code does not see.
 */
export function disableTelemetry(): void {
  process.env['ORT_DISABLE_TELEMETRY'] = '1';
}
