import { setTimeout as sleep } from 'node:timers/promises';

/** The pause after a batch, as a share of the time that it took. */
const REST_SHARE = 0.5;

/**
 * Runs batches at once; while `busy`, one by one with rests. A batch waits for `maxMs` at most: another may be stuck.
 *
 * Two batches at once index a quarter more pages a second than one. But meanwhile a search takes 2.3 to 3.2 times as
 * long as normally (95th percentile, two cores). With one batch it takes 1.9 times as long, with rests less
 * (docs/evidence/decisions/0008-indexing-in-batches.md). So two batches run at once only while nobody searches.
 */
export function ingestThrottle(
  busy: () => boolean,
  maxMs: number,
  rest: (ms: number) => Promise<unknown> = pause,
): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let before: Promise<unknown> = Promise.resolve();
  return (work) => {
    const previous = before;
    let took = 0;
    const run = (async () => {
      if (busy()) await Promise.race([previous, pause(maxMs)]);
      const from = performance.now();
      try {
        return await work();
      } finally {
        took = performance.now() - from;
      }
    })();
    // A batch that fails is handled by its own caller.
    before = Promise.allSettled([previous, run]).then(() => rest(took * REST_SHARE));
    return run;
  };
}

function pause(ms: number): Promise<void> {
  return sleep(ms, undefined, { ref: false });
}
