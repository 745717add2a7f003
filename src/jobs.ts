import type { Db } from './database/db.js';
import { setWantedModel } from './database/queries/models.js';
import { recordEvent, type RecordDeps } from './events/record-event.js';
import { buildIndexes, type BuildIndexesDeps } from './large-projects/build-indexes.js';
import { maintenance, requeueStalledPages, type MaintenanceDeps } from './maintenance/maintenance.js';
import { learnMoves } from './moves/learn-moves.js';
import { changeModel, queueModelChanges } from './pages/change-model.js';
import { vectorizeLongPage, vectorizePage, type VectorizePageDeps } from './pages/vectorize-page.js';
import type { Job } from './queue/job.js';

export type JobDeps = VectorizePageDeps &
  MaintenanceDeps &
  BuildIndexesDeps &
  RecordDeps & {
    /** For jobs of seconds, which would wait long for a database that fell silent. */
    dbWithDeadline: Db;
  };

/** Every job there is. */
export const JOBS = [
  vectorizePage,
  vectorizeLongPage,
  recordEvent,
  changeModel,
  learnMoves,
  buildIndexes,
  maintenance,
] as readonly Job<never, JobDeps>[];

/** Starts this process's workers, one per queue. They end with the queue's stop. */
export async function startWorkers(deps: JobDeps): Promise<void> {
  const { queue } = deps;
  // Before any job is taken: a change that waits from before would be taken for one to the model of before, and be
  // left.
  await setWantedModel(deps.db, deps.models.configured.modelId);
  for (const job of JOBS) await queue.work(job, deps);
  await queue.schedule(maintenance, '17 * * * *');
  await queue.enqueueNow(maintenance, [{}]);
  await queueModelChanges(deps);
  // The embedded database has one process: whatever is in work at its start was in work when it was killed.
  if (deps.embedded) await requeueStalledPages(deps, 0);
}
