import type { JobWithMetadata } from 'pg-boss';
import type { Db } from '../database/db.js';
import { wantModel } from '../database/queries/models.js';
import { changeProjectModel, queueModelChanges } from '../pages/change-model.js';
import { runMaintenance, requeueStalledPages, type MaintenanceDeps } from '../maintenance/run-maintenance.js';
import { bytesOfBatch, pagesOfBatch } from '../pages/batch-size.js';
import { keepAllOwnIndexes, keepOwnIndexes, type BuildIndexesDeps } from '../large-projects/build-indexes.js';
import {
  buildIndexes,
  changeModel,
  maintenance,
  learnMoves,
  recordEvent,
  vectorizeLongPage,
  vectorizePage,
  type BuildIndexesPayload,
  type ChangeModelPayload,
  type LearnMovesPayload,
  type RecordEventPayload,
  type VectorizePagePayload,
} from './kinds.js';
import type { Bulkheads } from '../load/bulkheads.js';
import { learnSectionMoves } from '../moves/learn-section-moves.js';
import { recordEvents, type RecordDeps } from '../events/record-event.js';
import { oneByOneWhile } from '../load/one-by-one.js';
import { vectorizePages, type VectorizeDeps } from '../pages/vectorize-page.js';

export type WorkerDeps = VectorizeDeps &
  MaintenanceDeps &
  BuildIndexesDeps &
  RecordDeps & {
    /** For jobs of seconds, which would wait long for a database that fell silent. */
    prompt: Db;
    /** Whether this process is searched. */
    bulkheads: Bulkheads;
  };

/** While no notification can come (embedded), workers look this often; pg-boss allows no less. */
const POLLING_SECONDS = 0.5;
/**
 * On a server they hear of new jobs; of a retry that falls due nobody tells them, and pg-boss would look every 30 s.
 */
const RETRY_POLLING_SECONDS = 1;

/** Pages at once on the embedded database, where everybody waits while they are stored. */
const EMBEDDED_BATCH = 16;

/** Visitors come in bursts: who searched so many milliseconds ago will do so again. */
const SEARCHED_LATELY_MS = 1_000;
/** A batch takes about half of a second; one that takes longer keeps no other waiting. */
const LONGEST_TURN_MS = 2_000;

/** Starts this process's workers: one per queue, in batches. They end with the queue's stop. */
export async function startWorkers(deps: WorkerDeps): Promise<void> {
  const { queue } = deps;
  const prompt = { ...deps, db: deps.prompt };
  // Before any job is taken: a change that waits from before would be taken for one to the model of before, and be
  // left.
  await wantModel(deps.db, deps.models.configured.modelId);
  const fittingPages = pagesOfBatch(deps.models.configured.model.passageMs);
  const pages = deps.embedded ? Math.min(fittingPages, EMBEDDED_BATCH) : fittingPages;
  const inTurn = oneByOneWhile(() => deps.bulkheads.searches.usedWithin(SEARCHED_LATELY_MS), LONGEST_TURN_MS);
  queue.registerWorker(
    vectorizePage,
    await queue.boss.work(
      vectorizePage.name,
      {
        pollingIntervalSeconds: POLLING_SECONDS,
        notifyPollingIntervalSeconds: RETRY_POLLING_SECONDS,
        includeMetadata: true,
        batchSize: pages,
        // One batch is stored while another is embedded; the embedded database has one session.
        localConcurrency: deps.embedded ? 1 : 2,
        burstWhenBatchFull: true,
        perJobResults: true,
      },
      (jobs: JobWithMetadata<VectorizePagePayload>[]) =>
        inTurn(() => vectorizePages(prompt, jobs, bytesOfBatch(pages))),
    ),
  );
  queue.registerWorker(
    vectorizeLongPage,
    await queue.boss.work(
      vectorizeLongPage.name,
      {
        pollingIntervalSeconds: POLLING_SECONDS,
        notifyPollingIntervalSeconds: RETRY_POLLING_SECONDS,
        includeMetadata: true,
        burstWhenBatchFull: true,
        perJobResults: true,
      },
      (jobs: JobWithMetadata<VectorizePagePayload>[]) => vectorizePages(prompt, jobs),
    ),
  );
  queue.registerWorker(
    recordEvent,
    await queue.boss.work(
      recordEvent.name,
      {
        pollingIntervalSeconds: POLLING_SECONDS,
        notifyPollingIntervalSeconds: RETRY_POLLING_SECONDS,
        includeMetadata: true,
        batchSize: 200,
        burstWhenBatchFull: true,
        perJobResults: true,
      },
      (jobs: JobWithMetadata<RecordEventPayload>[]) => recordEvents(prompt, jobs),
    ),
  );
  queue.registerWorker(
    learnMoves,
    await queue.boss.work(
      learnMoves.name,
      {
        pollingIntervalSeconds: POLLING_SECONDS,
        notifyPollingIntervalSeconds: RETRY_POLLING_SECONDS,
        includeMetadata: true,
      },
      async (jobs: JobWithMetadata<LearnMovesPayload>[]) => {
        for (const job of jobs) {
          await learnSectionMoves(deps.tenants.of(job.data.projectId));
          deps.indexChanges.committed(job.data.projectId);
        }
      },
    ),
  );
  await queue.boss.work(
    changeModel.name,
    { pollingIntervalSeconds: 2, notifyPollingIntervalSeconds: 2, includeMetadata: true },
    async (jobs: JobWithMetadata<ChangeModelPayload>[]) => {
      for (const job of jobs) await changeProjectModel(deps, job);
    },
  );
  await queue.boss.work(
    buildIndexes.name,
    { pollingIntervalSeconds: 2, notifyPollingIntervalSeconds: 2, includeMetadata: true },
    async (jobs: JobWithMetadata<BuildIndexesPayload>[]) => {
      for (const job of jobs) await keepOwnIndexes(deps, job.data.projectId, { signal: job.signal });
    },
  );
  await queue.boss.work(maintenance.name, { pollingIntervalSeconds: 5 }, async () => {
    await runMaintenance(deps);
    await keepAllOwnIndexes(deps);
  });

  await queue.boss.schedule(maintenance.name, '17 * * * *');
  await queue.enqueueNow(maintenance, [{}]);
  await queueModelChanges(deps);
  // The embedded database has one process: whatever is in work at its start was in work when it was killed.
  if (deps.embedded) await requeueStalledPages(deps, 0);
}
