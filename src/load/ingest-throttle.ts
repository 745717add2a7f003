import { setTimeout as sleep } from 'node:timers/promises';

/** Of the time that a batch took, so much is left to others before the next. */
const REST_SHARE = 0.5;

/**
 * Runs what it is given at once, or, while `busy`, one after the other with a rest between them; but nobody waits for
 * longer than `maxMs`, since what is before it may be stuck.
 *
 * Two batches of pages in work index a quarter more pages a second than one, and while they do a search takes 2.3 to
 * 3.2 times as long as otherwise (95th percentile, two cores), with one batch 1.9 times, and less with rests between
 * them (docs/decisions/0008-indexing-in-batches.md). So there are two of them only while nobody searches.
 */
export function ingestThrottle(
  busy: () => boolean,
  maxMs: number,
  rest: (ms: number) => Promise<unknown> = pause,
): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let before: Promise<unknown> = Promise.resolve();
  return (work) => {
    const others = before;
    let took = 0;
    const run = (async () => {
      if (busy()) await Promise.race([others, pause(maxMs)]);
      const from = performance.now();
      try {
        return await work();
      } finally {
        took = performance.now() - from;
      }
    })();
    // Whether the one before failed is its own caller's business.
    before = Promise.allSettled([others, run]).then(() => rest(took * REST_SHARE));
    return run;
  };
}

function pause(ms: number): Promise<void> {
  return sleep(ms, undefined, { ref: false });
}
