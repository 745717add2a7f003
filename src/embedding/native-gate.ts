import { setTimeout as pause } from 'node:timers/promises';

/**
 * The gate of one task: a number that the thread of the task and the thread that may end it share.
 *
 *     OPEN ⇄ INSIDE          the task enters onnxruntime and leaves it
 *     OPEN → CLOSED          the task waits where it would enter, until its thread is terminated
 *     INSIDE → CLOSING → CLOSED
 *
 * A thread that is terminated inside onnxruntime aborts the whole process: its binding throws a C++ error where
 * JavaScript may not run any longer ("terminate called after throwing an instance of 'Napi::Error'"). Without the gate,
 * a process did not survive a hundred pools that stopped at work.
 */
export type NativeGate = Int32Array<SharedArrayBuffer>;

const [OPEN, INSIDE, CLOSING, CLOSED] = [0, 1, 2, 3];

/** The time between two looks at a gate that is closing. A call of onnxruntime takes from 1 to 100 ms. */
const LOOK_MS = 5;

/** The time that a process that exits waits for threads. To open a model takes some 300 ms. */
const MAX_EXIT_MS = 1_500;

export const newGate = (): NativeGate => new Int32Array(new SharedArrayBuffer(4));

/** Runs in the thread of the task: calls onnxruntime, unless the gate closes. */
export async function passGate<Result>(gate: NativeGate, call: () => Promise<Result>): Promise<Result> {
  Atomics.compareExchange(gate, 0, OPEN, INSIDE);
  waitIfClosed(gate);
  try {
    return await call();
  } finally {
    if (Atomics.compareExchange(gate, 0, INSIDE, OPEN) === CLOSING) Atomics.store(gate, 0, CLOSED);
    waitIfClosed(gate);
  }
}

/** Blocks its thread for good. Termination ends this wait. */
function waitIfClosed(gate: NativeGate): void {
  Atomics.wait(gate, 0, CLOSED);
}

/** Returns whether the task is outside onnxruntime and cannot enter it any longer. Else it stops when it leaves. */
function close(gate: NativeGate): boolean {
  const state = Atomics.compareExchange(gate, 0, OPEN, CLOSED);
  // If it left between both looks, it is closed now, before its thread can get another task.
  if (state === INSIDE && Atomics.compareExchange(gate, 0, INSIDE, CLOSING) === OPEN) return close(gate);
  return state === OPEN || state === CLOSED;
}

/** Closes the gate, and resolves when its thread may be terminated. */
export async function closeGate(gate: NativeGate): Promise<void> {
  while (!close(gate)) await pause(LOOK_MS, undefined, { ref: false });
}

/** Closes the gates for a process that exits, which terminates its threads. It blocks until all are closed, or late. */
export function closeAtExit(gates: NativeGate[]): void {
  const until = performance.now() + MAX_EXIT_MS;
  for (const gate of gates) while (!close(gate) && performance.now() < until) Atomics.wait(gate, 0, CLOSING, LOOK_MS);
}
