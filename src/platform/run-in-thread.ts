import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker, parentPort, workerData } from 'node:worker_threads';
import { OperatorError, messageOf } from '../base/errors.js';
import { Bulkhead } from './limits/bulkhead.js';
import { setPriority } from 'node:os';
import { getHeapStatistics } from 'node:v8';

/** What a thread says; `serveWorkThread` is its side. */
export type FromWorkThread =
  | { type: 'output'; value: unknown }
  | { type: 'done' }
  | { type: 'turn' }
  | { type: 'rest'; heapBytes: number }
  | { type: 'failed'; isOperators: boolean; message: string; code?: string };

interface RunInThreadOptions {
  /** Entry of the thread, which calls `serveWorkThread`. */
  url: URL;
  workerData: unknown;
  /** Then the thread is ended, whatever it does. */
  withinMs: number;
  /** The message then. */
  late: string;
  /** Ends the thread, too; the caller looks at it. */
  signal?: AbortSignal;
  /** Of the thread's heap: where it is not enough, the thread ends alone. */
  maxHeapMb?: number;
  /** Turns for `inTurn`, in the line of `by`; absent: it is always the thread's turn. */
  turns?: { of: Bulkhead; by: string; onRest: (heapBytes: number) => void };
}

const MAX_HEAP_MB = 1_024;

/**
 * Turns of work that goes on apart: it has one thread at a time, or two of different projects, so that threads leave
 * time of the processor to those who wait for an answer.
 */
export const threadTurns = new Bulkhead({
  slots: 2,
  waiting: { maxInBurst: 16, maxSustained: 16, burstMs: 1_000 },
  maxWaitMs: 30_000,
});

/**
 * Does work on a thread of its own, since it may take seconds, and yields what the thread does. Between two outputs
 * others have their turn.
 * @throws OperatorError as the thread does, or when it takes too long
 */
export async function* runInThread<Output>({
  url,
  workerData,
  withinMs,
  late,
  signal,
  maxHeapMb = MAX_HEAP_MB,
  turns,
}: RunInThreadOptions): AsyncGenerator<Output> {
  const worker = new Worker(url, { workerData, resourceLimits: { maxOldGenerationSizeMb: maxHeapMb } });
  const heard: Exclude<FromWorkThread, { type: 'turn' | 'rest' }>[] = [];
  let wake = (): void => undefined;
  const hear = (message: (typeof heard)[number]): void => {
    heard.push(message);
    wake();
  };
  const fail = (message: string, isOperators: boolean): void => hear({ type: 'failed', message, isOperators });
  const ended = new AbortController();
  let rest = (): void => undefined;
  const takeTurn = (): Promise<void> =>
    new Promise((done) => {
      rest = done;
      worker.postMessage('turn');
    });
  worker.on('message', (message: FromWorkThread) => {
    if (message.type === 'turn') (turns?.of.run(turns.by, takeTurn, ended.signal) ?? takeTurn()).catch(() => undefined);
    else if (message.type === 'rest') {
      rest();
      turns?.onRest(message.heapBytes);
    } else hear(message);
  });
  worker.on('error', (error: unknown) => {
    const isFull = (error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY';
    fail(isFull ? late : String(error), isFull);
  });
  worker.on('exit', (code) => fail(`a thread ended with code ${code}`, false));
  const stop = (message: string, isOperators: boolean): void => {
    // Its output so far is not worth the wait for the rest.
    heard.length = 0;
    fail(message, isOperators);
  };
  const deadline = setTimeout(() => stop(late, true), withinMs);
  const abort = (): void => stop('the work was stopped', false);
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort);
  try {
    for (;;) {
      const message = heard.shift();
      if (!message) {
        await new Promise<void>((resolve) => (wake = resolve));
        continue;
      }
      if (message.type === 'done') return;
      if (message.type === 'failed') throw toError(message);
      yield message.value as Output;
      worker.postMessage('taken');
      await nextTurn();
    }
  } finally {
    clearTimeout(deadline);
    signal?.removeEventListener('abort', abort);
    ended.abort();
    void worker.terminate();
    rest();
  }
}

/** With the code, by which a refusal of the database is known. */
function toError({ isOperators, message, code }: FromWorkThread & { type: 'failed' }): Error {
  return isOperators ? new OperatorError(message) : Object.assign(new Error(message), code !== undefined && { code });
}

/** Of the thread, as `nice` says it: a processor that is wanted by the thread that answers requests is its. */
const NICE = 10;

/** So many outputs wait to be taken; then the thread waits. */
const MAX_AHEAD = 16;

const turnsBegun: (() => void)[] = [];

/**
 * In a thread: does work that needs a processor in its turn. Nothing else of a thread needs one, such as its wait for
 * another server.
 */
export async function inTurn<Result>(work: () => Result): Promise<Result> {
  await new Promise<void>((begin) => {
    turnsBegun.push(begin);
    parentPort?.postMessage({ type: 'turn' } satisfies FromWorkThread);
  });
  try {
    return work();
  } finally {
    parentPort?.postMessage({ type: 'rest', heapBytes: getHeapStatistics().used_heap_size } satisfies FromWorkThread);
  }
}

/** The thread's side of `runInThread`: does the work, and says what comes of it. */
export async function serveWorkThread(work: (data: unknown) => AsyncIterable<unknown>): Promise<void> {
  if (!parentPort) throw new Error('this file is the entry of a worker thread');
  const port = parentPort;
  // On Linux a priority is a thread's own; elsewhere it would be that of the whole process.
  if (process.platform === 'linux') setPriority(NICE);
  const say = (message: FromWorkThread): void => {
    const bytes = message.type === 'output' && message.value instanceof Uint8Array ? [message.value.buffer] : [];
    port.postMessage(message, bytes as ArrayBuffer[]);
  };
  try {
    let ahead = 0;
    let taken = (): void => undefined;
    port.on('message', (message) => {
      if (message === 'turn') turnsBegun.shift()?.();
      else {
        ahead--;
        taken();
      }
    });
    for await (const value of work(workerData)) {
      say({ type: 'output', value });
      if (++ahead >= MAX_AHEAD) await new Promise<void>((done) => (taken = done));
    }
    say({ type: 'done' });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? { code: String(error.code) } : {};
    say({ type: 'failed', isOperators: error instanceof OperatorError, message: messageOf(error), ...code });
  }
}
