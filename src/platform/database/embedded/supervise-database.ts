import { rmSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { OperatorError } from '../../../base/errors.js';
import type { ThreadData, ThreadMessage } from './database-thread.js';

/** The delay of the first restart; it doubles with each failure in a row. */
const RESTART_DELAY_MS = 500;
const MAX_RESTART_DELAY_MS = 30_000;
/** A thread that lived this long was healthy: the next restart has the shortest delay again. */
const MIN_HEALTHY_MS = 60_000;

/** Receives the deaths and restarts of the embedded database. */
export interface EmbeddedWatch {
  /** The database died, or a restart failed. Another restart follows. */
  lost(reason: string): void;
  /** The database answers again. It holds every acknowledged write. */
  back(): void;
}

/**
 * Supervises the thread of the database. When it dies, a new one recovers the folder from its write-ahead log. New
 * threads are tried until that works, such as when a full disk has space again. Meanwhile connections are refused.
 * @returns a function that stops the thread.
 * @throws OperatorError when the first start fails.
 */
export async function superviseDatabase(data: ThreadData, watch: EmbeddedWatch): Promise<() => Promise<void>> {
  const place = `The embedded database in ${data.folder} does not start`;
  let current: Worker | undefined;
  let restart: NodeJS.Timeout | undefined;
  let failures = 0;
  let everListened = false;

  async function stop(): Promise<void> {
    clearTimeout(restart);
    const thread = current;
    current = undefined;
    if (!thread) return;
    const gone = new Promise((resolve) => thread.once('exit', resolve));
    thread.postMessage({ type: 'stop' });
    await gone;
  }

  return new Promise((started, failed) => {
    function start(): void {
      const thread = new Worker(new URL('./database-thread.js', import.meta.url), {
        workerData: data,
        // PostgreSQL's memory is not V8's, and what V8 collects there dies young: with the size that V8 chooses, the
        // process took 10 to 20 MB more.
        resourceLimits: { maxYoungGenerationSizeMb: 12 },
        // The output is piped and dropped, but the end of stderr goes into the reason below.
        stdout: true,
        stderr: true,
      });
      const startedAt = performance.now();
      let listening = false;
      let deathReason: string | undefined;
      let stderrTail = '';
      thread.stdout.resume();
      thread.stderr.on('data', (chunk: Buffer) => {
        stderrTail = (stderrTail + chunk.toString()).slice(-500);
      });
      thread.on('message', (message: ThreadMessage) => {
        if (thread !== current) return;
        if (message.type === 'died') {
          deathReason = message.reason;
          return;
        }
        if (everListened) watch.back();
        everListened = listening = true;
        started(stop);
      });
      const lose = (reason: string): void => {
        if (thread !== current) return;
        current = undefined;
        // The end is not awaited: a thread inside native code ends when that returns, which may be never.
        void thread.terminate();
        failures = performance.now() - startedAt > MIN_HEALTHY_MS ? 1 : failures + 1;
        const why = deathReason ?? (stderrTail === '' ? reason : `${reason}; it said: ${stderrTail.trim()}`);
        if (!everListened) failed(new OperatorError(`${place}: ${why}`));
        else watch.lost(listening ? why : `${place}: ${why}`);
        // The dead thread may have left its socket.
        rmSync(data.socket, { force: true });
        if (everListened)
          restart = setTimeout(start, Math.min(RESTART_DELAY_MS * 2 ** (failures - 1), MAX_RESTART_DELAY_MS));
      };
      // The code of the thread has ended, but its exit may take seconds more.
      thread.on('error', (error: unknown) => lose(`its thread failed: ${String(error)}`));
      thread.on('exit', (code) => lose(`its thread ended with code ${code}`));
      current = thread;
    }
    start();
  });
}
