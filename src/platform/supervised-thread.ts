import { Worker, type ResourceLimits } from 'node:worker_threads';

export interface SupervisedThreadOptions<Heard> {
  /** Entry of the thread. It has to end when it receives `{ type: 'stop' }`. */
  url: URL;
  workerData: unknown;
  resourceLimits?: ResourceLimits;
  /** The first words of the reason why the thread ended, such as "its thread". */
  name: string;
  /** Delay of the first restart; doubles with each failure in a row, up to 30 s. */
  restartDelayMs: number;
  onMessage: (message: Heard) => void;
  /** The thread and everything sent to it are lost. Returns whether to start another. */
  onLost: (reason: string) => boolean;
}

const MAX_RESTART_DELAY_MS = 30_000;
/** A thread that lived this long was healthy: the next restart has the shortest delay again. */
const MIN_HEALTHY_MS = 60_000;

/**
 * Supervises one worker thread: replaces it when it ends or is declared lost.
 *
 *     none ──start──▶ running ──exit or lose()──▶ delayed ──after the backoff──▶ running
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

  /** Starts a thread unless one runs or waits for its restart. */
  start(): void {
    if (this.#worker || this.#delay || this.#stopped) return;
    const { url, name, onMessage, workerData, resourceLimits = {} } = this.#options;
    // The output is piped and dropped, but the end of stderr goes into the reason below.
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
    // The code of the thread has ended, but its exit may take seconds more.
    worker.on('error', (error: unknown) => gone(`${name} failed: ${String(error)}`));
    worker.on('exit', (code) => gone(`${name} ended with code ${code}`));
    this.#worker = worker;
    this.#startedAt = performance.now();
  }

  post(message: Sent): void {
    this.#worker?.postMessage(message);
  }

  /** Declares the thread lost and starts another after the backoff, if one is wanted. */
  lose(reason: string): void {
    const worker = this.#worker;
    if (!worker) return;
    this.#worker = undefined;
    // The end is not awaited: a thread inside native code ends when that returns, which may be never.
    void worker.terminate();
    this.#failures = performance.now() - this.#startedAt > MIN_HEALTHY_MS ? 1 : this.#failures + 1;
    if (!this.#options.onLost(reason) || this.#stopped) return;
    const delay = Math.min(this.#options.restartDelayMs * 2 ** (this.#failures - 1), MAX_RESTART_DELAY_MS);
    this.#delay = setTimeout(() => {
      this.#delay = undefined;
      this.restarts += 1;
      this.start();
    }, delay);
  }

  /** Asks the thread to end. No other is started. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#delay);
    const worker = this.#worker;
    this.#worker = undefined;
    if (!worker) return;
    const gone = new Promise((resolve) => worker.once('exit', resolve));
    worker.postMessage({ type: 'stop' });
    await gone;
  }
}
