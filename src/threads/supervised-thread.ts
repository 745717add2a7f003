import { Worker, type ResourceLimits } from 'node:worker_threads';

export interface SupervisedThreadOptions<Heard> {
  /** The thread's entry. It ends itself when it is sent `{ type: 'stop' }`. */
  url: URL;
  workerData: unknown;
  resourceLimits?: ResourceLimits;
  /** Begins the reason of its end: "the embedding thread". */
  name: string;
  /** Before the first restart in a row; doubles up to 30 s. */
  restartDelayMs: number;
  /** Without one, `stop` waits until the thread has ended by itself. */
  stopWithinMs?: number;
  /** A thread was started; it may be sent messages at once. */
  onStarted?: () => void;
  onMessage: (message: Heard) => void;
  /** Everything sent to it is lost. Answers whether another thread is wanted. */
  onLost: (reason: string) => boolean;
}

const MAX_RESTART_DELAY_MS = 30_000;
/** A thread that lived this long was sound: the next restart begins with the shortest delay again. */
const SOUND_AFTER_MS = 60_000;

/**
 * Keeps one worker thread running: replaces it when it has ended, or is given up.
 *
 *     none ──start──▶ running ──it ended, or lose──▶ delayed ──after the backoff──▶ running
 *                                                └─(not wanted)──▶ none
 */
export class SupervisedThread<Sent extends { type: string }, Heard> {
  readonly #options: SupervisedThreadOptions<Heard>;
  #worker: Worker | undefined;
  #startedAt = 0;
  #failures = 0;
  #delay: NodeJS.Timeout | undefined;
  #stopped = false;
  restarts = 0;

  constructor(options: SupervisedThreadOptions<Heard>) {
    this.#options = options;
  }

  /** Starts a thread unless one is running or about to. */
  start(): void {
    if (this.#worker || this.#delay || this.#stopped) return;
    const { url, name, onMessage, onStarted, workerData, resourceLimits = {} } = this.#options;
    // Piped, and read by nobody but the reason below: onnxruntime and transformers.js like to talk.
    const worker = new Worker(url, { workerData, resourceLimits, stdout: true, stderr: true });
    let stderrTail = '';
    worker.stdout.resume();
    worker.stderr.on('data', (chunk: Buffer) => {
      stderrTail = (stderrTail + chunk.toString()).slice(-500);
    });
    worker.on('message', (message: Heard) => {
      if (worker === this.#worker) onMessage(message);
    });
    const gone = (reason: string): void => {
      if (worker === this.#worker) this.lose(stderrTail === '' ? reason : `${reason}; it said: ${stderrTail.trim()}`);
    };
    // It runs no more by now, though it may take seconds until it has exited.
    worker.on('error', (error: unknown) => {
      gone(`${name} failed: ${String(error)}`);
    });
    worker.on('exit', (code) => {
      gone(`${name} ended with code ${code}`);
    });
    this.#worker = worker;
    this.#startedAt = performance.now();
    onStarted?.();
  }

  post(message: Sent): void {
    this.#worker?.postMessage(message);
  }

  /** Gives the running thread up and starts another after the backoff, if one is wanted. */
  lose(reason: string): void {
    const worker = this.#worker;
    if (!worker) return;
    this.#worker = undefined;
    // Not awaited: a thread inside native code ends when that returns, if ever.
    void worker.terminate();
    this.#failures = performance.now() - this.#startedAt > SOUND_AFTER_MS ? 1 : this.#failures + 1;
    if (!this.#options.onLost(reason) || this.#stopped) return;
    const delay = Math.min(this.#options.restartDelayMs * 2 ** (this.#failures - 1), MAX_RESTART_DELAY_MS);
    this.#delay = setTimeout(() => {
      this.#delay = undefined;
      this.restarts += 1;
      this.start();
    }, delay);
  }

  /** Lets the thread end by itself. No thread is started afterwards. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#delay);
    const worker = this.#worker;
    this.#worker = undefined;
    if (!worker) return;
    const gone = new Promise((resolve) => worker.once('exit', resolve));
    worker.postMessage({ type: 'stop' });
    const { stopWithinMs } = this.#options;
    const deadline = stopWithinMs === undefined ? undefined : setTimeout(() => void worker.terminate(), stopWithinMs);
    await gone;
    clearTimeout(deadline);
  }
}
