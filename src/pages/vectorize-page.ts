import type { JobResult, JobWithMetadata } from 'pg-boss';
import type { Db } from '../database/db.js';
import { readContentBytes, type PageKey } from '../database/queries/page-status.js';
import type { Bulkheads } from '../load/bulkheads.js';
import { ingestThrottle } from '../load/ingest-throttle.js';
import type { Job } from '../queue/job.js';
import { bytesOfBatch, MIN_BYTES, pagesOfBatch } from './batch-size.js';
import { vectorizeBatch, type VectorizeDeps } from './vectorize-batch.js';

export type VectorizePageDeps = VectorizeDeps & {
  /** Gives up on a database that fell silent. */
  dbWithDeadline: Db;
  /** Whether this process is searched. */
  bulkheads: Bulkheads;
  embedded: boolean;
};

/** Pages at once on the embedded database, where everybody waits while they are stored. */
const EMBEDDED_BATCH = 16;

/** Visitors come in bursts: who searched so many milliseconds ago will do so again. */
const SEARCHED_LATELY_MS = 1_000;
/** A batch takes about half of a second; one that takes longer keeps no other waiting. */
const MAX_TURN_MS = 2_000;

/** Puts pages into the index, in batches. */
export const vectorizePage: Job<PageKey, VectorizePageDeps> = {
  name: 'vectorize-page',
  // As many a second as a large plan may push: who keeps to that waits for nobody's backlog.
  fairShare: { by: ({ projectId }) => projectId, seconds: 0.02 },
  // One waiting job per page: a burst of upserts leaves one, and what comes while it runs leaves one more.
  policy: 'short',
  key: ({ pageId }) => pageId,
  options: {
    notify: true,
    // After 1, 2 and 4 seconds, with jitter; then the page ends in ERROR.
    retryLimit: 3,
    retryDelay: 1,
    retryBackoff: true,
    retryDelayMax: 60,
    expireInSeconds: 900,
    heartbeatSeconds: 15,
    // Finished jobs answer no question; left lying, they slow every fetch (pg-boss issues 228, 418).
    deleteAfterSeconds: 600,
  },
  work: (deps) => {
    const bounded = { ...deps, db: deps.dbWithDeadline };
    const fitting = pagesOfBatch(deps.models.configured.model.passageMs);
    const batchSize = deps.embedded ? Math.min(fitting, EMBEDDED_BATCH) : fitting;
    const inTurn = ingestThrottle(() => deps.bulkheads.searches.usedWithin(SEARCHED_LATELY_MS), MAX_TURN_MS);
    return {
      batchSize,
      // One batch is stored while another is embedded; the embedded database has one session.
      localConcurrency: deps.embedded ? 1 : 2,
      burstWhenBatchFull: true,
      perJobResults: true,
      handle: (jobs) =>
        inTurn(async () => {
          const long = await queueLongPages(bounded, jobs, bytesOfBatch(batchSize));
          const left = jobs.filter((job) => long.has(job.data.pageId));
          const rest = jobs.filter((job) => !long.has(job.data.pageId));
          return [
            ...left.map(({ id }): JobResult => ({ id, status: 'completed' })),
            ...(await vectorizeBatch(bounded, rest)),
          ];
        }),
    };
  },
};

/** Pages that are too much for a batch, one after the other, so that nobody else's wait for them. */
export const vectorizeLongPage: Job<PageKey, VectorizePageDeps> = {
  ...vectorizePage,
  name: 'vectorize-long-page',
  fairShare: { by: ({ projectId }) => projectId, seconds: 1 },
  work: (deps) => ({
    burstWhenBatchFull: true,
    perJobResults: true,
    handle: (jobs) => vectorizeBatch({ ...deps, db: deps.dbWithDeadline }, jobs),
  }),
};

/** Queues what a batch has no room for, the longest first, for the worker of long pages; returns their ids. */
async function queueLongPages(
  { db, queue }: VectorizeDeps,
  jobs: readonly JobWithMetadata<PageKey>[],
  maxBytes: number,
): Promise<Set<string>> {
  const pages = await readContentBytes(
    db,
    jobs.map((job) => job.data),
  );
  let bytes = 0;
  // By itself a page costs a claim and a transaction: real sites, whose pages are of 5 to 20 kB, took ten times as long
  // so.
  const long = pages
    .sort((a, b) => a.bytes - b.bytes)
    .filter((page) => (bytes += page.bytes) > maxBytes && page.bytes > MIN_BYTES)
    .map(({ projectId, pageId }) => ({ projectId, pageId }));
  await queue.enqueueNow(vectorizeLongPage, long);
  if (long.length > 0) queue.wake(vectorizeLongPage);
  return new Set(long.map(({ pageId }) => pageId));
}
