import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../platform/database/db.js';
import { countPagesByStatus, countWaitingPages } from '../../pages/store/page-counts.js';
import type { CommandContext } from './context.js';
import { startProgress } from './progress.js';

/** Shows progress until the server has indexed every page of a project. */
export async function waitForIndex(db: Db, projectId: string, context: CommandContext): Promise<void> {
  const first = await countPagesByStatus(db, projectId);
  const total = Object.values(first).reduce((sum, pages) => sum + pages, 0);
  const progress = startProgress(context.stderr, 'Indexing ', total);
  for (;;) {
    const asked = performance.now();
    const waiting = await countWaitingPages(db, projectId);
    progress.update(Math.max(0, total - waiting));
    if (waiting === 0) break;
    // Counting must not slow down indexing: it takes at most a tenth of the time.
    await sleep(Math.max(100, 9 * (performance.now() - asked)));
  }
  progress.end();
}
