import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker, parentPort, workerData } from 'node:worker_threads';
import { OperatorError, messageOf } from '../base/errors.js';
import { Bulkhead } from './limits/bulkhead.js';
import { lowerPriority } from './lower-priority.js';
import { getHeapStatistics } from 'node:v8';

/** The messages that a thread sends to `runInThread`; `serveWorkThread` sends them. */
export type FromWorkThread =
  | { type: 'output'; value: unknown }
  | { type: 'done' }
  | { type: 'turn' }
  | { type: 'rest'; heapBytes: number }
  | { type: 'failed'; isOperators: boolean; message: string; code?: string };

interface RunInThreadOptions {
  /** The entry of the thread, which calls `serveWorkThread`. */
  url: URL;
  workerData: unknown;
  /** After this time the thread is ended, whatever it does. */
  withinMs: number;
  /** The message of the error after that time, or when the heap is full. */
  late: string;
  /** An abort ends the thread, too. The caller checks the signal itself. */
  signal?: AbortSignal;
  /** The max heap of the thread. A thread that needs more ends, and the process goes on. */
  maxHeapMb?: number;
  /** The turns for which `inTurn` waits, in the line `by` of a bulkhead; absent: it is always the thread's turn. */
  turns?: { of: Bulkhead; by: string; onRest: (heapBytes: number) => void };
}

const MAX_HEAP_MB = 1_024;

/**
 * The turns of work on threads: at most two threads have one at once, and while another project waits, each project has
 * one. So threads leave time of the processor to callers that wait for an answer.
 */
export const threadTurns = new Bulkhead({
  slots: 2,
  waiting: { maxInBurst: 16, maxSustained: 16, burstMs: 1_000 },
  maxWaitMs: 30_000,
});

/**
 * Does work of seconds on its own thread, and yields its outputs. Between two, other work of this process goes on.
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
    // The outputs that wait are dropped, so that the failure comes at once.
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

/** Makes an error of the message, with its code, by which callers recognize that the database refused. */
function toError({ isOperators, message, code }: FromWorkThread & { type: 'failed' }): Error {
  return isOperators ? new OperatorError(message) : Object.assign(new Error(message), code !== undefined && { code });
}

/** The max outputs that wait to be taken; after these the thread waits. */
const MAX_AHEAD = 16;

const turnsBegun: (() => void)[] = [];

/** Runs in a thread: does work that needs a processor when it has its turn. A wait for a server needs none. */
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

/** Runs in the thread: does the work that `runInThread` started, and sends its outputs, then its end or its failure. */
export async function serveWorkThread(work: (data: unknown) => AsyncIterable<unknown>): Promise<void> {
  if (!parentPort) throw new Error('this file is the entry of a worker thread');
  const port = parentPort;
  // When it and the thread that answers requests both want a processor, the latter gets it.
  lowerPriority();
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
