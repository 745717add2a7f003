/** What /metrics asks the database for. */
export interface Reading<Value> {
  /** The newest value; undefined where none was read of late. Never rejects, and takes a second at most. */
  latest(): Promise<Value | undefined>;
}

/** However often somebody scrapes, a process asks this often. */
const MAX_AGE_MS = 10_000;
/** How long a scrape waits; an answer that comes later is for the next one. */
const MAX_WAIT_MS = 1_000;
/** While it fails, the last value is shown for this long: as one scrape a minute would. */
const KEPT_MS = 45_000;

/** Reads at most one at a time, for all scrapes that come meanwhile. */
export function createReading<Value>(read: () => Promise<Value>, keptMs = KEPT_MS): Reading<Value> {
  let value: Value | undefined;
  let readAt = -Infinity;
  let triedAt = -Infinity;
  let reading: Promise<void> | undefined;

  async function readNow(): Promise<void> {
    triedAt = performance.now();
    try {
      value = await read();
      readAt = triedAt;
    } catch {
      // It shows: the values end, and pathmend_database_up is 0.
    } finally {
      reading = undefined;
    }
  }

  return {
    latest: async () => {
      if (performance.now() - triedAt > MAX_AGE_MS) reading ??= readNow();
      if (reading) await within(reading, MAX_WAIT_MS);
      return performance.now() - readAt < keptMs ? value : undefined;
    },
  };
}

async function within(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((done) => {
    timer = setTimeout(done, ms);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}
