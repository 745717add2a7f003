import type { Clock } from '../clock.js';
import { inPortions, inTransaction } from '../database/session/connect.js';
import type { Db } from '../database/db.js';
import { dropIdleBuckets, dropOldWeeks, ensureWeeks } from '../database/queries/events.js';
import { dropOldDays } from '../database/queries/history.js';
import { vacuumTables } from '../database/queries/upkeep.js';
import { bumpIndexVersion } from '../database/queries/index-pages.js';
import { findStalledPages } from '../database/queries/page-status.js';
import { markPagesWithoutTerms } from '../database/queries/page-terms.js';
import { dropStaleMoves } from '../database/queries/moves.js';
import { overdueRedirects, wakeRedirects } from '../database/queries/waiting-redirects.js';
import type { IndexChanges } from '../keys/index-changes.js';
import type { Logger } from '../logger.js';
import { fillPathKeys } from '../moves/fill-path-keys.js';
import { signUnsignedPages } from '../pages/sign-pages.js';
import { queueModelChanges } from '../pages/change-model.js';
import { learnMoves, vectorizePage } from '../queue/kinds.js';
import type { JobQueue } from '../queue/queue.js';

export interface HouseKeepingDeps {
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
 * What keeps the database in shape, hourly: partitions for the weeks to come, retention of events and of what clicks
 * taught, pages whose job was lost (a worker killed in its last attempt) or that an earlier release indexed, projects
 * whose change of model is not done, buckets nobody uses, dead rows where nobody else removes them.
 */
export async function keepHouse(deps: HouseKeepingDeps): Promise<void> {
  const now = deps.clock.now();
  await ensureWeeks(deps.db, new Date(now), new Date(now + 14 * DAY));
  const dropped = await dropOldWeeks(deps.db, new Date(now - deps.eventRetentionDays * DAY));
  await dropOldDays(deps.db, new Date(now - deps.eventRetentionDays * DAY));
  await dropIdleBuckets(deps.db);
  await forgetStaleMoves(deps, new Date(now - deps.eventRetentionDays * DAY));
  await fillPathKeys(deps.db);
  await wakeOverdueRedirects(deps);
  await signUnsignedPages(deps.db);
  if (deps.embedded) await vacuumTables(deps.db);
  const requeued = await requeueStalledPages(deps, STALLED_AFTER_SECONDS);
  const outdated = await reindexOutdatedPages(deps);
  await queueModelChanges(deps);
  deps.logger.info('house kept', { dropped_partitions: dropped, requeued_pages: requeued, outdated_pages: outdated });
}

/** Moves that no click has shown again within the retention of clicks go, and what they showed about sections. */
async function forgetStaleMoves(
  deps: { db: Db; queue: JobQueue; indexChanges: IndexChanges },
  before: Date,
): Promise<void> {
  const changed = await inTransaction(deps.db, async (trx) => {
    const projects = await dropStaleMoves(trx, before);
    if (projects.length > 0)
      await deps.queue.enqueue(
        trx,
        learnMoves,
        projects.map((projectId) => ({ projectId })),
      );
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
  if (stalled.length > 0) await inTransaction(deps.db, (trx) => deps.queue.enqueue(trx, vectorizePage, stalled));
  deps.queue.wake(vectorizePage);
  return stalled.length;
}

const OUTDATED_AT_ONCE = 1_000;

/** Queues pages whose index an earlier release made; returns how many. */
export async function reindexOutdatedPages(deps: { db: Db; queue: JobQueue }): Promise<number> {
  const queued = await inPortions(deps.db, OUTDATED_AT_ONCE, async (trx) => {
    const pages = await markPagesWithoutTerms(trx, OUTDATED_AT_ONCE);
    if (pages.length > 0) await deps.queue.enqueue(trx, vectorizePage, pages, 'bulk');
    return pages.length;
  });
  deps.queue.wake(vectorizePage);
  return queued;
}
