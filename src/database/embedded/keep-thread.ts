import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { OperatorError } from '../../errors.js';
import type { ThreadData, ThreadMessage } from './thread.js';

/** Hears what becomes of the embedded database. */
export interface EmbeddedWatch {
  /** It died, or could not be started again; it will be tried again. */
  lost(reason: string): void;
  /** It answers again; nothing that was acknowledged is lost. */
  back(): void;
}

interface Running {
  worker: Worker;
  startedAt: number;
  /** Resolves with the reason when the thread is gone. */
  ended: Promise<string>;
}

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 30_000;
/** A thread that lived this long was sound: the next restart begins with the shortest delay again. */
const SOUND_AFTER_MS = 60_000;

/**
 * Keeps the database's thread running: when it dies, another recovers the folder from its write-ahead log, as soon as
 * that works again (a full disk has space). Meanwhile connections are refused, which callers know from a server that
 * restarts.
 * @returns what stops it.
 * @throws OperatorError when the first one does not start.
 */
export async function keepThread(data: ThreadData, path: string, watch: EmbeddedWatch): Promise<() => Promise<void>> {
  const first = await startThread(data);
  const stopping = new AbortController();
  const stopped = (): boolean => stopping.signal.aborted;
  const asked = new Promise<undefined>((tell) => {
    stopping.signal.addEventListener('abort', () => {
      tell(undefined);
    });
  });

  async function keep(): Promise<void> {
    let running: Running | undefined = first;
    let failures = 0;
    while (!stopped()) {
      if (running) {
        const reason = await Promise.race([running.ended, asked]);
        if (reason === undefined) break;
        failures = performance.now() - running.startedAt > SOUND_AFTER_MS ? 0 : failures;
        running = undefined;
        watch.lost(reason);
      }
      await pause(Math.min(FIRST_DELAY_MS * 2 ** failures++, LONGEST_DELAY_MS), undefined, {
        signal: stopping.signal,
      }).catch(() => undefined);
      if (stopped()) break;
      // Left by the dead thread, if at all.
      rmSync(path, { force: true });
      try {
        running = await startThread(data);
        watch.back();
      } catch (error) {
        watch.lost(error instanceof Error ? error.message : String(error));
      }
    }
    if (running) await stopThread(running);
  }

  const kept = keep();
  return async () => {
    stopping.abort();
    await kept;
  };
}

async function startThread(data: ThreadData): Promise<Running> {
  const worker = new Worker(new URL('./thread.js', import.meta.url), { workerData: data });
  let said: string | undefined;
  worker.on('message', (sent: ThreadMessage) => {
    if (sent.type === 'died') said = sent.reason;
  });
  worker.on('error', (error) => {
    said ??= error instanceof Error ? error.message : String(error);
  });
  const ended = new Promise<string>((tell) => {
    worker.once('exit', (code) => {
      tell(said ?? `its thread ended with code ${code}`);
    });
  });
  const failed = ended.then((reason) => {
    throw new OperatorError(`The embedded database in ${data.folder} does not start: ${reason}`);
  });
  await Promise.race([message(worker, 'listening'), failed]);
  // From here on, its end is for whoever keeps it.
  failed.catch(() => undefined);
  return { worker, startedAt: performance.now(), ended };
}

async function stopThread({ worker, ended }: Running): Promise<void> {
  const stopped = message(worker, 'stopped');
  worker.postMessage('stop');
  await Promise.race([stopped, ended]);
  await worker.terminate();
}

function message(worker: Worker, type: ThreadMessage['type']): Promise<void> {
  return new Promise((done) => {
    const listen = (sent: ThreadMessage): void => {
      if (sent.type !== type) return;
      worker.off('message', listen);
      done();
    };
    worker.on('message', listen);
  });
}
