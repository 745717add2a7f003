import type { Clock } from '../base/clock.js';
import { inTransaction } from '../platform/database/session/connect.js';
import type { Db } from '../platform/database/db.js';
import { dropIdleBuckets } from '../projects/store/rate-buckets.js';
import { dropOldWeeks, ensureWeeks } from '../platform/database/weekly-partitions.js';
import { dropOldRollups, findStaleRollups } from '../analytics/store/rollups.js';
import { dropOldDays } from '../events/store/history-days.js';
import { vacuumTables } from '../platform/database/vacuum.js';
import { rangeOf, type ProjectRange } from '../platform/database/project-range.js';
import {
  bumpIndexVersions,
  countIndexes,
  findMiscountedProjects,
  recountSearchablePages,
} from '../projects/index-version.js';
import { findStalledPages } from '../pages/store/page-status.js';
import { dropOldRuleHistory } from '../rules/store/rule-hits.js';
import { dropStaleMoves } from '../rules/store/clicked-moves.js';
import { dropOldTombstones } from '../pages/store/tombstones.js';
import { linkSearches } from '../analytics/link-searches-job.js';
import { rebuildRollups } from '../analytics/rebuild-rollups-job.js';
import type { IndexChanges } from '../projects/index-changes.js';
import type { Logger } from '../base/logger.js';
import { learnMoves } from '../rules/learn-moves-job.js';
import { queueModelChanges } from '../pages/indexing/change-model-job.js';
import { vectorizePage } from '../pages/indexing/vectorize-job.js';
import { updateAllOwnIndexes, type BuildSegmentsDeps } from '../pages/large-projects/build-segments-job.js';
import { ofProjects, type Job } from '../platform/queue/job.js';
import { queueDueFits, type FitOwnWeightsDeps } from '../search/project-weights/fit-weights-job.js';
import type { JobQueue } from '../platform/queue/queue.js';

export interface MaintenanceDeps {
  db: Db;
  queue: JobQueue;
  indexChanges: IndexChanges;
  clock: Clock;
  logger: Logger;
  eventRetentionDays: number;
  tombstones: { days: number };
  /** The embedded database has no autovacuum. */
  embedded: boolean;
}

export const maintenance: Job<Record<string, never>, MaintenanceDeps & BuildSegmentsDeps & FitOwnWeightsDeps> = {
  name: 'maintenance',
  policy: 'short',
  options: { retryLimit: 2, expireInSeconds: 600, deleteAfterSeconds: 3_600 },
  work: (deps) => ({
    pollingSeconds: 5,
    handle: async () => {
      const slice = await runMaintenance(deps);
      await updateAllOwnIndexes(deps);
      await queueDueFits(deps, slice);
    },
  }),
};

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Longer than any job runs or waits for its last retry: a page that has waited longer has lost its job. */
const STALLED_AFTER_SECONDS = 3_600;

/**
 * Hourly: creates the partitions of the next two weeks; drops old events, rollups, tombstones, moves from clicks, hits
 * and changes of rules, and idle buckets; queues the rollups of rows that an older release stored, pages whose job was
 * lost (a worker killed in its last attempt) and unfinished changes of model; vacuums the embedded database. What would
 * read all rows of all projects is done for a slice of the projects an hour (project-range.ts).
 * @returns the slice.
 */
export async function runMaintenance(deps: MaintenanceDeps): Promise<ProjectRange> {
  const now = deps.clock.now();
  const slice = await currentSlice(deps);
  await ensureWeeks(deps.db, new Date(now), new Date(now + 14 * DAY_MS));
  const dropped = await dropOldWeeks(deps.db, new Date(now - deps.eventRetentionDays * DAY_MS));
  await dropOldDays(deps.db, new Date(now - deps.eventRetentionDays * DAY_MS), slice);
  await dropOldRollups(deps.db, new Date(now - deps.eventRetentionDays * DAY_MS));
  await deps.queue.enqueueNow(rebuildRollups, ofProjects(await findStaleRollups(deps.db)));
  await deps.queue.enqueueNow(linkSearches, [{}]);
  await dropIdleBuckets(deps.db);
  await dropOldRuleHistory(deps.db, new Date(now - deps.eventRetentionDays * DAY_MS), slice);
  await dropMovesFromOldClicks(deps, new Date(now - deps.eventRetentionDays * DAY_MS), slice);
  await forgetOldTombstones(deps, new Date(now - deps.tombstones.days * DAY_MS));
  if (deps.embedded) await vacuumTables(deps.db);
  await recountPages(deps, slice);
  const requeued = await requeueStalledPages(deps, STALLED_AFTER_SECONDS);
  await queueModelChanges(deps);
  deps.logger.info('maintenance done', { dropped_partitions: dropped, requeued_pages: requeued });
  return slice;
}

async function currentSlice({ db, clock }: { db: Db; clock: Clock }): Promise<ProjectRange> {
  return rangeOf(await countIndexes(db), Math.floor(clock.now() / HOUR_MS));
}

/** Drops moves that no click has confirmed within the retention of clicks. Their section moves are learned again. */
async function dropMovesFromOldClicks(
  deps: { db: Db; queue: JobQueue; indexChanges: IndexChanges },
  before: Date,
  slice: ProjectRange,
): Promise<void> {
  const changed = await inTransaction(deps.db, async (trx) => {
    const projects = await dropStaleMoves(trx, before, slice);
    await deps.queue.enqueue(trx, learnMoves, ofProjects(projects));
    await bumpIndexVersions(trx, projects);
    return projects;
  });
  for (const projectId of changed) deps.indexChanges.committed(projectId);
  deps.queue.wake(learnMoves);
}

async function forgetOldTombstones(deps: { db: Db; indexChanges: IndexChanges }, before: Date): Promise<void> {
  const changed = await inTransaction(deps.db, async (trx) => {
    const projects = await dropOldTombstones(trx, before);
    await bumpIndexVersions(trx, projects);
    return projects;
  });
  for (const projectId of changed) deps.indexChanges.committed(projectId);
}

/** Where a process of an older release has changed pages, their number is not kept. */
async function recountPages(deps: { db: Db }, slice: ProjectRange): Promise<void> {
  for (const projectId of await findMiscountedProjects(deps.db, slice))
    await inTransaction(deps.db, (trx) => recountSearchablePages(trx, projectId));
}

/** Queues pages again that have been waiting or in work for longer than `olderThanSeconds`; returns how many. */
export async function requeueStalledPages(
  deps: { db: Db; queue: JobQueue },
  olderThanSeconds: number,
): Promise<number> {
  const stalled = await findStalledPages(deps.db, olderThanSeconds, 10_000);
  await inTransaction(deps.db, (trx) => deps.queue.enqueue(trx, vectorizePage, stalled));
  deps.queue.wake(vectorizePage);
  return stalled.length;
}
