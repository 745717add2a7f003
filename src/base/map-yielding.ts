import { setImmediate as nextTurn } from 'node:timers/promises';

/** After so many milliseconds other requests run. */
const MAX_TURN_MS = 5;

let until = 0;
let nextBegins: Promise<void> | undefined;

/**
 * Waits until there is time left: between two rounds of the event loop, all that wait here have {@link MAX_TURN_MS}
 * together. For work that many callers, or many promises of one, do in small steps.
 */
export async function takeTurn(): Promise<void> {
  while (performance.now() >= until) {
    nextBegins ??= nextTurn().then(() => {
      nextBegins = undefined;
      until = performance.now() + MAX_TURN_MS;
    });
    await nextBegins;
  }
}

/** Does a work step by step, and yields to the event loop when that takes long. */
export async function runYielding<Result>(work: Generator<unknown, Result>): Promise<Result> {
  for (let step = work.next(); ; step = work.next()) {
    if (step.done === true) return step.value;
    if (performance.now() >= until) await takeTurn();
  }
}

/** Maps an array, and yields to the event loop when that takes long. */
export async function mapYielding<From, To>(all: readonly From[], work: (item: From, at: number) => To): Promise<To[]> {
  const done: To[] = [];
  for (const item of all) {
    if (performance.now() >= until) await takeTurn();
    done.push(work(item, done.length));
  }
  return done;
}

/** The same of work that waits, for so many items at once. After an error no more is begun. */
export async function mapAtOnce<From, To>(
  all: readonly From[],
  atOnce: number,
  work: (item: From) => Promise<To>,
): Promise<To[]> {
  const done: To[] = [];
  const left = all.entries();
  let failed = false;
  const workOn = async (): Promise<void> => {
    // All take from one iterator.
    for (const [at, item] of left) {
      if (failed) return;
      done[at] = await work(item);
    }
  };
  const workers = Array.from({ length: Math.min(atOnce, all.length) }, workOn);
  await Promise.all(workers).finally(() => (failed = true));
  return done;
}
