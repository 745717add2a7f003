import { setImmediate as nextTurn } from 'node:timers/promises';

/** After so many milliseconds other requests run. */
const MAX_TURN_MS = 5;

/** Does a work step by step, and yields to the event loop when that takes long. */
export async function runYielding<Result>(work: Generator<unknown, Result>): Promise<Result> {
  let until = performance.now() + MAX_TURN_MS;
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (performance.now() < until) continue;
    await nextTurn();
    until = performance.now() + MAX_TURN_MS;
  }
}

/** Maps an array, and yields to the event loop when that takes long. */
export async function mapYielding<From, To>(all: readonly From[], work: (item: From, at: number) => To): Promise<To[]> {
  const done: To[] = [];
  let until = performance.now() + MAX_TURN_MS;
  for (const item of all) {
    done.push(work(item, done.length));
    if (performance.now() < until) continue;
    await nextTurn();
    until = performance.now() + MAX_TURN_MS;
  }
  return done;
}
