import type { Clock } from '../../base/clock.js';
import type { Db } from '../../platform/database/db.js';
import { listCoverage } from '../store/segments.js';
import type { Logger } from '../../base/logger.js';

export type SegmentCatalogue = ReturnType<typeof createSegmentCatalogue>;

/** An older list is read again. A stale one costs time only: a missing index means a scan. */
const REFRESH_AFTER_MS = 5_000;

/** The projects with their own indexes, in memory. A search that finds the list old does not wait for the new one. */
export function createSegmentCatalogue(db: Db, clock: Clock, logger: Logger) {
  let known: ReadonlyMap<string, string> = new Map();
  let readAt = -Infinity;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    const from = clock.now();
    try {
      known = new Map((await listCoverage(db)).map((row) => [`${row.project_id} ${row.model_id}`, row.covered]));
    } catch (error) {
      logger.warn('the list of own indexes could not be read; the last one stays in use', { error });
    }
    readAt = from;
    reading = undefined;
  }

  const refresh = (): Promise<void> => (reading ??= read());
  return {
    refresh,
    /** Returns the last arrival that the indexes cover; undefined: the project has none and is scanned. */
    covered: (projectId: string, modelId: number): string | undefined => {
      if (clock.now() - readAt > REFRESH_AFTER_MS) void refresh();
      return known.get(`${projectId} ${modelId}`);
    },
  };
}
