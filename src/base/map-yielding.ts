/** After so many milliseconds other requests run. */
const MAX_TURN_MS = 5;

/** Works that wait for the event loop: one goes on in each of its rounds, in the order in which they came. */
const line: (() => void)[] = [];

function nextInLine(): Promise<void> {
  return new Promise((goOn) => {
    if (line.push(goOn) === 1) setImmediate(callNext);
  });
}

function callNext(): void {
  line.shift()?.();
  if (line.length > 0) setImmediate(callNext);
}

/** The turns of one work, of which many promises may do some. */
export class Turns {
  #ends = performance.now() + MAX_TURN_MS;
  #next: Promise<void> | undefined;

  get isOver(): boolean {
    return performance.now() >= this.#ends;
  }

  /** Waits for a turn, if this one is over. */
  async take(): Promise<void> {
    while (this.isOver)
      await (this.#next ??= nextInLine().then(() => {
        this.#next = undefined;
        this.#ends = performance.now() + MAX_TURN_MS;
      }));
  }
}

/** Does a work step by step, and yields to the event loop when that takes long. */
export async function runYielding<Result>(work: Generator<unknown, Result>): Promise<Result> {
  const turns = new Turns();
  for (let step = work.next(); ; step = work.next()) {
    if (step.done === true) return step.value;
    if (turns.isOver) await turns.take();
  }
}

/** Maps an array, and yields to the event loop when that takes long. */
export async function mapYielding<From, To>(all: readonly From[], work: (item: From, at: number) => To): Promise<To[]> {
  const turns = new Turns();
  const done: To[] = [];
  for (const item of all) {
    done.push(work(item, done.length));
    if (turns.isOver) await turns.take();
  }
  return done;
}

/** The same of work that waits, for so many items at once. After an error no more is begun. */
export async function mapAtOnce<From, To>(all: readonly From[], atOnce: number, work: (item: From) => Promise<To>) {
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
