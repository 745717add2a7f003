import type { Db } from './db.js';
import { analyzeTables, countKnownPages } from './vacuum.js';

/** Keeps the table statistics of the planner up to date while pages arrive. */
export interface PlannerStatistics {
  pagesStored(pages: number): Promise<void>;
}

const MIN_PAGES = 100;

/**
 * Analyzes after the first hundred pages, then each time the index has grown by half. The embedded database has no
 * autovacuum, and that of a server may wait a minute. Until then searches are planned for an empty index: one scan of
 * 18,500 passages was sorted on disk. What the index has grown from, the server knows: counted from the start of a
 * worker, its first 4,000 pages had a million others analyzed ten times, for five seconds each.
 */
export function createPlannerStatistics(db: Db): PlannerStatistics {
  let known = 0;
  let since = 0;
  return {
    async pagesStored(pages) {
      since += pages;
      if (since < Math.max(MIN_PAGES, known / 2)) return;
      const stored = since;
      since = 0;
      // The coordinator of Citus has none of its nodes' rows.
      known = Math.max(known, await countKnownPages(db));
      if (stored < known / 2) {
        since += stored;
        return;
      }
      known += stored;
      await analyzeTables(db);
    },
  };
}
