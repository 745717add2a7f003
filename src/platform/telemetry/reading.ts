import { setTimeout as sleep } from 'node:timers/promises';

/** A value that /metrics reads from the database. */
export interface Reading<Value> {
  /** Returns the newest value; undefined where none was read recently. Never rejects, and takes a second at most. */
  latest(): Promise<Value | undefined>;
}

/** A process reads the value at most this often, however often it is scraped. */
const MAX_AGE_MS = 10_000;
/** The max time that a scrape waits. An answer that comes later is for the next scrape. */
const MAX_WAIT_MS = 1_000;
/** While the reading fails, the last value is shown for this time: as one scrape a minute would show it. */
const KEPT_MS = 45_000;

/** Creates a reading. One read at a time serves all scrapes that come meanwhile. */
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
      // The failure shows in the metrics: the values end, and pathmend_database_up is 0.
    } finally {
      reading = undefined;
    }
  }

  return {
    latest: async () => {
      if (performance.now() - triedAt > MAX_AGE_MS) reading ??= readNow();
      if (reading) await Promise.race([reading, sleep(MAX_WAIT_MS, undefined, { ref: false })]);
      return performance.now() - readAt < keptMs ? value : undefined;
    },
  };
}
