import { Worker } from 'node:worker_threads';
import { forbidTelemetry } from './no-telemetry.js';
import type { FromThread, ThreadSettings, ToThread } from './thread-protocol.js';

export interface KeeperOptions {
  url: URL;
  settings: ThreadSettings;
  restartDelayMs: number;
  onMessage: (message: FromThread) => void;
  /** A thread was started; it may be sent messages at once. */
  onStarted: () => void;
  /** Everything sent to it is lost. Answers whether another thread is wanted. */
  onLost: (reason: string) => boolean;
}

const LONGEST_DELAY_MS = 30_000;
/** A thread that lived this long was sound: the next restart begins with the shortest delay again. */
const SOUND_AFTER_MS = 60_000;
const STOP_WITHIN_MS = 2_000;

/**
 * Keeps one thread running: replaces it when it fails, ends, or is declared wedged.
 *
 *     none ──start──▶ running ──error, exit, lose──▶ delayed ──after the backoff──▶ running
 *                                                └─(not wanted)──▶ none
 */
export class ThreadKeeper {
  readonly #options: KeeperOptions;
  #worker: Worker | undefined;
  #startedAt = 0;
  #failures = 0;
  #delay: NodeJS.Timeout | undefined;
  #watch: NodeJS.Timeout | undefined;
  #stopped = false;
  restarts = 0;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  /** Starts a thread unless one is running or about to. */
  start(): void {
    if (this.#worker || this.#delay || this.#stopped) return;
    forbidTelemetry();
    const worker = new Worker(this.#options.url, {
      workerData: this.#options.settings,
      // Piped, and read by nobody but the reason below: onnxruntime and transformers.js like to talk.
      stdout: true,
      stderr: true,
      // What embedding leaves behind is short-lived; with V8's own 48 MB the process took 15 to 20 MB more and was no
      // faster.
      resourceLimits: { maxYoungGenerationSizeMb: 12 },
    });
    let lastWords = '';
    worker.stdout.resume();
    worker.stderr.on('data', (chunk: Buffer) => {
      lastWords = (lastWords + chunk.toString()).slice(-500);
    });
    worker.on('message', (message: FromThread) => {
      if (worker !== this.#worker) return;
      this.#unwatch();
      this.#options.onMessage(message);
    });
    const gone = (reason: string): void => {
      if (worker === this.#worker) this.lose(lastWords === '' ? reason : `${reason}; it said: ${lastWords.trim()}`);
    };
    worker.on('error', (error: unknown) => {
      gone(`the embedding thread failed: ${String(error)}`);
    });
    worker.on('exit', (code) => {
      gone(`the embedding thread ended with code ${code}`);
    });
    this.#worker = worker;
    this.#startedAt = performance.now();
    this.#options.onStarted();
  }

  post(message: ToThread): void {
    this.#worker?.postMessage(message);
  }

  /** Asks for a sign of life; without one within `withinMs` the thread is replaced. */
  expectSignOfLife(withinMs: number): void {
    if (this.#watch || !this.#worker) return;
    this.post({ type: 'ping' });
    this.#watch = setTimeout(() => {
      this.lose(`the embedding thread gave no sign of life for ${withinMs} ms`);
    }, withinMs);
  }

  /** Gives the running thread up and starts another after the backoff, if one is wanted. */
  lose(reason: string): void {
    const worker = this.#worker;
    if (!worker) return;
    this.#worker = undefined;
    this.#unwatch();
    worker.removeAllListeners();
    worker.on('error', () => undefined);
    // Not awaited: a thread inside native code ends when that returns, if ever.
    void worker.terminate();
    this.#failures = performance.now() - this.#startedAt > SOUND_AFTER_MS ? 1 : this.#failures + 1;
    if (!this.#options.onLost(reason) || this.#stopped) return;
    const delay = Math.min(this.#options.restartDelayMs * 2 ** (this.#failures - 1), LONGEST_DELAY_MS);
    this.#delay = setTimeout(() => {
      this.#delay = undefined;
      this.restarts += 1;
      this.start();
    }, delay);
  }

  /** Lets the thread free its sessions, or ends it after 2 s. No thread is started afterwards. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#unwatch();
    clearTimeout(this.#delay);
    const worker = this.#worker;
    this.#worker = undefined;
    if (!worker) return;
    worker.removeAllListeners();
    worker.on('error', () => undefined);
    const gone = new Promise((resolve) => worker.once('exit', resolve));
    worker.postMessage({ type: 'stop' } satisfies ToThread);
    const deadline = setTimeout(() => void worker.terminate(), STOP_WITHIN_MS);
    await gone;
    clearTimeout(deadline);
  }

  #unwatch(): void {
    clearTimeout(this.#watch);
    this.#watch = undefined;
  }
}
