import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { messageOf, OperatorError } from '../base/errors.js';
import type { FromApart } from './work-apart.js';

/** Of the thread, as `nice` says it: a processor that is wanted by the thread that answers requests is its. */
const NICE = 10;

/** The thread's side of `workApart`: does the work, and says what comes of it. */
export async function serveApart(work: (data: unknown) => AsyncIterable<unknown>): Promise<void> {
  if (!parentPort) throw new Error('this file is the entry of a worker thread');
  const port = parentPort;
  // On Linux a priority is a thread's own; elsewhere it would be that of the whole process.
  if (process.platform === 'linux') setPriority(NICE);
  const say = (message: FromApart): void => {
    const bytes = message.type === 'output' && message.value instanceof Uint8Array ? [message.value.buffer] : [];
    port.postMessage(message, bytes as ArrayBuffer[]);
  };
  try {
    for await (const value of work(workerData)) say({ type: 'output', value });
    say({ type: 'done' });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? { code: String(error.code) } : {};
    say({ type: 'failed', isOperators: error instanceof OperatorError, message: messageOf(error), ...code });
  }
}
