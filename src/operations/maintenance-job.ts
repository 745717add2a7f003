import { maintainAnalytics } from '../analytics/rebuild-rollups-job.js';
import type { Clock } from '../base/clock.js';
import type { Logger } from '../base/logger.js';
import { dropOldDays } from '../events/store/history-days.js';
import { queueModelChanges } from '../pages/indexing/change-model-job.js';
import { updateAllOwnIndexes, type BuildSegmentsDeps } from '../pages/large-projects/build-segments-job.js';
import { maintainPages } from '../pages/maintain-pages.js';
import type { Db } from '../platform/database/db.js';
import { rangeOf } from '../platform/database/project-range.js';
import { dropOldWeeks, ensureWeeks, vacuumTables } from '../platform/database/maintenance.js';
import type { Job } from '../platform/queue/job.js';
import type { JobQueue } from '../platform/queue/queue.js';
import type { IndexChanges } from '../projects/index-changes.js';
import { countIndexes } from '../projects/index-version.js';
import { dropIdleBuckets } from '../projects/store/rate-buckets.js';
import { maintainRules } from '../rules/learn-redirects-job.js';

export interface MaintenanceDeps {
  db: Db;
  queue: JobQueue;
  indexChanges: IndexChanges;
  clock: Clock;
  logger: Logger;
  eventRetentionDays: number;
  tombstones: { days: number };
  /** Whether the embedded database is used, which has no autovacuum. */
  embedded: boolean;
}

export const maintenance: Job<Record<string, never>, MaintenanceDeps & BuildSegmentsDeps> = {
  name: 'maintenance',
  policy: 'short',
  options: { retryLimit: 2, expireInSeconds: 600, deleteAfterSeconds: 3_600 },
  work: (deps) => ({
    pollingSeconds: 5,
    handle: async () => {
      await runMaintenance(deps);
      await updateAllOwnIndexes(deps);
    },
  }),
};

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** The time ahead for which weekly partitions are created. */
const AHEAD_MS = 14 * DAY_MS;

/**
 * Runs hourly. Each slice drops its old data and queues work that was left undone; the embedded database is vacuumed.
 * Work that would read all rows of all projects is done for a part of the projects each hour (project-range.ts).
 */
export async function runMaintenance(deps: MaintenanceDeps): Promise<void> {
  const { db, logger, eventRetentionDays, tombstones, embedded } = deps;
  const now = deps.clock.now();
  const before = new Date(now - eventRetentionDays * DAY_MS);
  const slice = rangeOf(await countIndexes(db), Math.floor(now / HOUR_MS));
  await ensureWeeks(db, new Date(now), new Date(now + AHEAD_MS));
  const dropped = await dropOldWeeks(db, before);
  await dropOldDays(db, before, slice);
  await maintainAnalytics(deps, before);
  await maintainRules(deps, before, slice);
  const requeued = await maintainPages(deps, new Date(now - tombstones.days * DAY_MS));
  await dropIdleBuckets(db);
  if (embedded) await vacuumTables(db);
  await queueModelChanges(deps);
  logger.info('maintenance done', { dropped_partitions: dropped, requeued_pages: requeued });
}
