import type { Db } from './db.js';
import { analyzeTables } from './queries/vacuum.js';

/** Keeps PostgreSQL's idea of the index's size near the truth while pages come in. */
export interface PlannerStatistics {
  pagesStored(pages: number): Promise<void>;
}

const MIN_PAGES = 100;

/**
 * Analyzes after the first hundred pages and again after each growth by half. The embedded database has no
 * autovacuum, and a server's may wait a minute, in which searches are planned as if the index were empty: a scan of
 * 18,500 passages then sorted on disk.
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
