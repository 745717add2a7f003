import type { Clock } from '../clock.js';
import { inTransaction } from '../database/session/connect.js';
import type { Db } from '../database/db.js';
import { dropIdleBuckets, dropOldWeeks, ensureWeeks } from '../database/queries/events.js';
import { dropOldDays } from '../database/queries/history.js';
import { vacuumTables } from '../database/queries/vacuum.js';
import { bumpIndexVersion } from '../database/queries/index-pages.js';
import { findStalledPages } from '../database/queries/page-status.js';
import { dropStaleMoves } from '../database/queries/moves.js';
import { overdueRedirects, wakeRedirects } from '../database/queries/waiting-redirects.js';
import type { IndexChanges } from '../keys/index-changes.js';
import type { Logger } from '../logger.js';
import { learnMoves } from '../moves/learn-moves.js';
import { queueModelChanges } from '../pages/change-model.js';
import { vectorizePage } from '../pages/vectorize-page.js';
import { ofProjects } from '../queue/job.js';
import type { JobQueue } from '../queue/queue.js';

export interface MaintenanceDeps {
  db: Db;
  queue: JobQueue;
  indexChanges: IndexChanges;
  clock: Clock;
  logger: Logger;
  eventRetentionDays: number;
  /** The embedded database has no autovacuum. */
  embedded: boolean;
}

const DAY = 86_400_000;
/** Longer than any job may run or wait for its last retry: a page older than this has lost its job. */
const STALLED_AFTER_SECONDS = 3_600;

/**
 * Hourly: makes partitions for the weeks to come, drops old events and what old clicks taught, queues pages again whose
 * job was lost (a worker killed in its last attempt), goes on with changes of model, drops idle buckets, and vacuums
 * the embedded database.
 */
export async function runMaintenance(deps: MaintenanceDeps): Promise<void> {
  const now = deps.clock.now();
  await ensureWeeks(deps.db, new Date(now), new Date(now + 14 * DAY));
  const dropped = await dropOldWeeks(deps.db, new Date(now - deps.eventRetentionDays * DAY));
  await dropOldDays(deps.db, new Date(now - deps.eventRetentionDays * DAY));
  await dropIdleBuckets(deps.db);
  await forgetStaleMoves(deps, new Date(now - deps.eventRetentionDays * DAY));
  await wakeOverdueRedirects(deps);
  if (deps.embedded) await vacuumTables(deps.db);
  const requeued = await requeueStalledPages(deps, STALLED_AFTER_SECONDS);
  await queueModelChanges(deps);
  deps.logger.info('maintenance done', { dropped_partitions: dropped, requeued_pages: requeued });
}

/** Moves that no click has shown again within the retention of clicks go, and what they showed about sections. */
async function forgetStaleMoves(
  deps: { db: Db; queue: JobQueue; indexChanges: IndexChanges },
  before: Date,
): Promise<void> {
  const changed = await inTransaction(deps.db, async (trx) => {
    const projects = await dropStaleMoves(trx, before);
    await deps.queue.enqueue(trx, learnMoves, ofProjects(projects));
    for (const projectId of projects) await bumpIndexVersion(trx, projectId);
    return projects;
  });
  for (const projectId of changed) deps.indexChanges.committed(projectId);
  deps.queue.wake(learnMoves);
}

async function wakeOverdueRedirects(deps: { db: Db; queue: JobQueue; indexChanges: IndexChanges }): Promise<void> {
  for (const { project_id: projectId, path_keys } of await overdueRedirects(deps.db)) {
    await inTransaction(deps.db, async (trx) => {
      if ((await wakeRedirects(trx, projectId, path_keys)) === 0) return;
      await deps.queue.enqueue(trx, learnMoves, [{ projectId }]);
      await bumpIndexVersion(trx, projectId);
    });
    deps.indexChanges.committed(projectId);
  }
}

/** Queues pages again that have waited or been in work for longer than `olderThanSeconds`; returns how many. */
export async function requeueStalledPages(
  deps: { db: Db; queue: JobQueue },
  olderThanSeconds: number,
): Promise<number> {
  const stalled = await findStalledPages(deps.db, olderThanSeconds, 10_000);
  await inTransaction(deps.db, (trx) => deps.queue.enqueue(trx, vectorizePage, stalled));
  deps.queue.wake(vectorizePage);
  return stalled.length;
}
