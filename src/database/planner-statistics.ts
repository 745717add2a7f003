import type { Db } from './db.js';
import { analyzeTables } from './queries/vacuum.js';

/** Keeps the table statistics of the planner up to date while pages arrive. */
export interface PlannerStatistics {
  pagesStored(pages: number): Promise<void>;
}

const MIN_PAGES = 100;

/**
 * Analyzes after the first hundred pages, then each time the index has grown by half. The embedded database has no
 * autovacuum, and that of a server may wait a minute. Until then searches are planned for an empty index: one scan of
 * 18,500 passages was sorted on disk.
 */
export function createPlannerStatistics(db: Db): PlannerStatistics {
  let analyzed = 0;
  let since = 0;
  return {
    async pagesStored(pages) {
      since += pages;
      if (since < Math.max(MIN_PAGES, analyzed / 2)) return;
      analyzed += since;
      since = 0;
      await analyzeTables(db);
    },
  };
}
