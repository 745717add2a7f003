import { setTimeout as pause } from 'node:timers/promises';
import { Piscina, type PiscinaTask } from 'piscina';
import type { EmbedderOptions } from './embedder.js';
import { EmbedderCrashed, EmbedderTimeout, EmbeddingFailed, ModelUnavailable } from './embedder-errors.js';
import { closeAtExit, closeGate, newGate, type NativeGate } from './native-gate.js';
import type { Answer, Task, ThreadSettings } from './onnx-thread.js';

/** Threads beyond `min` end after this time without work, to free their memory. */
const IDLE_MS = 30_000;

/** Tasks of a lower rank run first: models are opened again, then queries go before pages. */
const RANKS = { load: 0, query: 1, split: 2, passages: 2 };

/** The place of a task among the others. */
interface Place {
  rank: number;
  gate: NativeGate;
  /** The id of the thread that took the task; undefined while it waits. */
  thread?: number | undefined;
}

const placeOf = (task: object): Place => (task as Record<symbol, Place>)[Piscina.queueOptionsSymbol] as Place;

/** The waiting tasks, lowest rank first, equal ranks in order of arrival. */
class RankedTasks {
  readonly #tasks: PiscinaTask[] = [];

  get size(): number {
    return this.#tasks.length;
  }

  push(task: PiscinaTask): void {
    const before = this.#tasks.findLastIndex((other) => placeOf(other).rank <= placeOf(task).rank);
    this.#tasks.splice(before + 1, 0, task);
  }

  unshift(task: PiscinaTask): void {
    this.#tasks.unshift(task);
  }

  shift(): PiscinaTask | null {
    return this.#tasks.shift() ?? null;
  }

  /** Removes a task; piscina never calls it, since no task has a signal. */
  remove(task: PiscinaTask): void {
    this.#tasks.splice(this.#tasks.indexOf(task), 1);
  }
}

export interface ThreadPoolOptions extends EmbedderOptions {
  /** The number of threads that stay, and the maximum number. */
  min: number;
  max: number;
  /** Whether threads have a lower priority than those for which requests wait. */
  background: boolean;
  /** Called when a thread died while it ran a task. */
  onLost?: () => void;
}

/** A pool of piscina with the deadlines and errors of an embedder. Its threads start with the first task. */
export class ThreadPool {
  readonly #options: ThreadPoolOptions;
  #pool: Piscina<Task, Answer> | undefined;
  /** The tasks without an answer. */
  readonly #pending = new Set<Place>();
  #stopped = false;
  readonly #onExit = (): void => closeAtExit([...this.#pending].map(({ gate }) => gate));
  restarts = 0;

  constructor(options: ThreadPoolOptions) {
    this.#options = options;
    disableTelemetry();
  }

  /** Whether a task would have a thread at once. */
  get isFree(): boolean {
    return this.#pending.size < this.#options.max;
  }

  get #hungAfterMs(): number {
    return this.#options.hungAfterMs ?? 10_000;
  }

  get hasThreads(): boolean {
    return this.#pool !== undefined && this.#pool.threads.length > 0;
  }

  async run(task: Task, deadlineMs: number, signal?: AbortSignal): Promise<Answer> {
    signal?.throwIfAborted();
    const place: Place = { rank: RANKS[task.type], gate: newGate() };
    let timer: NodeJS.Timeout | undefined;
    let abort: (() => void) | undefined;
    const work = this.#run(task, place);
    const abandoned = new Promise<never>((_, reject) => {
      const message = `No answer to this ${task.type} within ${deadlineMs} ms.`;
      timer = setTimeout(() => reject(new EmbedderTimeout(message)), deadlineMs);
      abort = () => reject(signal?.reason as Error);
      signal?.addEventListener('abort', abort, { once: true });
    });
    try {
      return await Promise.race([work, abandoned]);
    } catch (error) {
      // The thread skips a task that still waits. A signal of piscina would end the thread of a running one, with its
      // models.
      task.cancelled = true;
      this.#terminateIfHung(work, place);
      throw error;
    } finally {
      clearTimeout(timer);
      if (abort) signal?.removeEventListener('abort', abort);
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    const closed = Promise.all([...this.#pending].map(({ gate }) => closeGate(gate)));
    await Promise.race([closed, pause(this.#hungAfterMs, undefined, { ref: false })]);
    await this.#pool?.destroy();
    process.off('exit', this.#onExit);
  }

  async #run(task: Task, place: Place): Promise<Answer> {
    if (this.#stopped) throw new EmbedderCrashed('The embedder was stopped.');
    this.#pending.add(place);
    const answer = await this.#start()
      .run(Object.assign(task, { gate: place.gate, [Piscina.queueOptionsSymbol]: place }))
      .catch((error: unknown) => this.#onLost(task, String(error)))
      .finally(() => this.#pending.delete(place));
    if (!('fault' in answer)) return answer;
    if (answer.fault === 'model') throw new ModelUnavailable(answer.message);
    throw new EmbeddingFailed(`This text could not be embedded: ${answer.message}`);
  }

  #start(): Piscina<Task, Answer> {
    if (this.#pool) return this.#pool;
    const { cacheFolder, hubUrl = 'https://huggingface.co', background, min, max, threadUrl } = this.#options;
    this.#pool = new Piscina({
      filename: (threadUrl ?? new URL('./onnx-thread.js', import.meta.url)).href,
      minThreads: min,
      maxThreads: max,
      idleTimeout: IDLE_MS,
      recordTiming: false,
      stricterFIFO: true,
      taskQueue: new RankedTasks(),
      loadBalancer: (task, threads) => {
        const free = threads.find(({ currentUsage }) => currentUsage === 0) ?? null;
        placeOf(task).thread = free?.id;
        return free;
      },
      workerData: { cacheFolder, hubUrl, background } satisfies ThreadSettings,
      // Garbage of embedding is short-lived. With V8's own choice of 48 MB, the process took 15 to 20 MB more and was
      // no faster.
      resourceLimits: { maxYoungGenerationSizeMb: 12 },
    });
    process.on('exit', this.#onExit);
    // It is emitted when a thread dies without a task. The next task starts another.
    this.#pool.on('error', (error) => this.#options.onFault?.(String(error)));
    return this.#pool;
  }

  #onLost(task: Task, reason: string): never {
    if (this.#stopped) throw new EmbedderCrashed('The embedder was stopped.');
    this.restarts += 1;
    this.#options.onFault?.(`the embedding thread failed: ${reason}`);
    this.#options.onLost?.();
    // Without a minimum number of threads, piscina starts no thread for the waiting tasks until another task comes.
    const { location, unloaded } = task;
    const wakeUp: Task = { type: 'load', location, unloaded, cancelled: true };
    if (!this.hasThreads && this.#pending.size > 1)
      void this.#run(wakeUp, { rank: RANKS.load, gate: newGate() }).catch(() => 0);
    throw new EmbedderCrashed(`The task was lost with its thread: ${reason}`);
  }

  /** Terminates the thread that took the task if the task does not end in time; piscina starts another. */
  #terminateIfHung(work: Promise<Answer>, { thread, gate }: Place): void {
    if (thread === undefined) return;
    const timer = setTimeout(() => {
      void closeGate(gate).then(() => this.#pool?.threads.find(({ threadId }) => threadId === thread)?.terminate());
    }, this.#hungAfterMs).unref();
    const ended = (): void => clearTimeout(timer);
    work.then(ended, ended);
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
