import type { JobResult, JobWithMetadata } from 'pg-boss';
import type { Db } from '../../platform/database/db.js';
import { isWorkerAway } from '../../platform/database/session/database-errors.js';
import { readContentBytes, type PageKey } from '../store/page-status.js';
import { isQuick } from '../../embedding/embedder.js';
import type { Bulkheads } from '../../platform/limits/bulkheads.js';
import { ingestThrottle } from '../../platform/limits/ingest-throttle.js';
import { byProject, type Job } from '../../platform/queue/job.js';
import { vectorizeBatch, type QueueRest, type VectorizeDeps } from './vectorize-batch.js';

export type VectorizePageDeps = VectorizeDeps & {
  dbWithDeadline: Db;
  /** The bulkheads, which show whether this process answers searches. */
  bulkheads: Bulkheads;
  /** Whether the embedded database is used. */
  embedded: boolean;
  /** Milliseconds per chunk with the model of most pages. */
  chunkMs: number;
};

/** Pages per batch on the embedded database: storing them blocks every request for less than a tenth of a second. */
const MAX_EMBEDDED_BATCH = 48;

/** Searches come in bursts: after one, more are likely within this time. */
const SEARCHED_LATELY_MS = 1_000;
/** The maximum delay of a batch, which takes about half a second. */
const MAX_DELAY_MS = 2_000;

export interface VectorizePage extends PageKey {
  isDelayedRetry?: boolean;
  /** Whether the beginning of the page is stored, so that only the rest is embedded. */
  isRest?: boolean;
}

/** The time that a database gets to recover from a short outage. */
const RETRY_SECONDS = 30;

/** Indexes pages in batches. */
export const vectorizePage: Job<VectorizePage, VectorizePageDeps> = {
  name: 'vectorize-page',
  delaySeconds: ({ isDelayedRetry = false }) => (isDelayedRetry ? RETRY_SECONDS : 0),
  // 50 pages a second, the rate of a large plan: at that rate a project does not wait for another's backlog.
  fairShare: { by: ({ projectId }) => projectId, seconds: 0.02 },
  // One waiting job per page: a burst of upserts leaves one, and upserts while it runs leave one more.
  policy: 'short',
  key: ({ pageId }) => pageId,
  options: {
    notify: true,
    // A job is tried again after 1, 2 and 4 seconds, with jitter; then the page ends in ERROR.
    retryLimit: 3,
    retryDelay: 1,
    retryBackoff: true,
    retryDelayMax: 60,
    expireInSeconds: 900,
    heartbeatSeconds: 15,
    // Finished jobs slow every fetch (pg-boss issues 228, 418).
    deleteAfterSeconds: 600,
  },
  work: (deps) => {
    const bounded = { ...deps, db: deps.dbWithDeadline };
    const fitting = pagesOfBatch(deps.chunkMs);
    const batchSize = deps.embedded ? Math.min(fitting, MAX_EMBEDDED_BATCH) : fitting;
    // Batches of a slow model run in threads for pages, which no search waits for.
    const quick = isQuick(deps);
    const isSearched = (): boolean => quick && deps.bulkheads.searches.usedWithin(SEARCHED_LATELY_MS);
    const throttled = ingestThrottle(isSearched, MAX_DELAY_MS);
    return {
      batchSize,
      // One batch is stored while another is embedded. On the embedded database, two batches of a quick model would
      // occupy its only session.
      localConcurrency: deps.embedded && quick ? 1 : 2,
      burstWhenBatchFull: true,
      perJobResults: true,
      handle: (jobs) =>
        throttled(() =>
          withFailures(
            jobs,
            async (group) => {
              const now = await chooseNext(bounded, group, Math.max(MIN_BYTES, batchSize * BYTES_PER_PAGE));
              const later = group.filter((job) => !now.includes(job));
              return [
                ...later.map(({ id }): JobResult => ({ id, status: 'completed' })),
                ...(await vectorizeBatch({ ...bounded, queueRest: queueRest(deps) }, now)),
              ];
            },
            (group) => requeueDelayed(deps, group),
          ),
        ),
    };
  },
};

/** Indexes pages that are too long for a batch one by one, so that other pages do not wait for them. */
export const vectorizeLongPage: Job<VectorizePage, VectorizePageDeps> = {
  ...vectorizePage,
  name: 'vectorize-long-page',
  fairShare: { by: ({ projectId }) => projectId, seconds: 1 },
  work: (deps) => ({
    burstWhenBatchFull: true,
    perJobResults: true,
    handle: (jobs) =>
      withFailures(
        jobs,
        (group) => vectorizeBatch({ ...deps, db: deps.dbWithDeadline, queueRest: queueRest(deps) }, group),
        (group) => requeueDelayed(deps, group),
      ),
  }),
};

/** Embeds the rest of pages whose beginning is stored, after all other jobs of the queue. */
export const vectorizeRest: Job<VectorizePage, VectorizePageDeps> = {
  ...vectorizePage,
  key: ({ pageId }) => `${pageId} rest`,
  fairShare: { by: ({ projectId }) => projectId, seconds: 0.1, urgency: 'rest' },
};

const restOf = (projectId: string, pageId: string): VectorizePage => ({ projectId, pageId, isRest: true });

function queueRest({ queue }: Pick<VectorizeDeps, 'queue'>): QueueRest {
  return (trx, projectId, pageIds) => {
    const rests = pageIds.map((pageId) => restOf(projectId, pageId));
    return queue.enqueue(trx, vectorizeRest, rests);
  };
}

type PageJob = JobWithMetadata<VectorizePage>;
type Work = (jobs: readonly PageJob[]) => Promise<JobResult[]>;

/**
 * Processes a batch, and requeues its jobs with a delay if it fails for another reason than its pages, instead of
 * leaving them to the hourly maintenance.
 *
 * If a Citus worker is unreachable, processes the batch again by project, so that pages on other workers do not wait.
 * @param requeue queues jobs again with a delay
 */
export async function withFailures(
  jobs: readonly PageJob[],
  work: Work,
  requeue: (jobs: readonly PageJob[]) => Promise<void>,
): Promise<JobResult[]> {
  try {
    return await work(jobs);
  } catch (error) {
    if (!isWorkerAway(error)) {
      // Other jobs have retries left.
      await requeue(jobs.filter(({ retryCount, retryLimit }) => retryCount >= retryLimit)).catch(() => undefined);
      throw error;
    }
  }
  const results: JobResult[] = [];
  for (const group of byProject(jobs)) {
    const done = await work(group).catch(async (error: unknown): Promise<JobResult[]> => {
      if (!isWorkerAway(error)) throw error;
      await requeue(group);
      return group.map(({ id }) => ({ id, status: 'completed' }));
    });
    results.push(...done);
  }
  return results;
}

function requeueDelayed({ queue }: VectorizeDeps, jobs: readonly JobWithMetadata<VectorizePage>[]): Promise<void> {
  const retries = jobs.map(({ data }) => ({ ...data, isDelayedRetry: true }));
  return queue.enqueueNow(vectorizePage, retries);
}

/** Chooses the jobs that are done now, about `maxBytes`. Rests wait for other pages; long pages get their own jobs. */
async function chooseNext(deps: VectorizeDeps, jobs: readonly PageJob[], maxBytes: number): Promise<PageJob[]> {
  const fresh = jobs.filter(({ data }) => data.isRest !== true);
  const due = fresh.length > 0 ? fresh : jobs;
  const keys = due.map(({ data }) => data);
  const pages = await readContentBytes(deps.db, keys);
  let bytes = 0;
  // A page of its own costs a claim and a transaction: real sites, with pages of 5 to 20 kB, took ten times as long.
  const over = pages
    .sort((a, b) => a.bytes - b.bytes)
    .filter((page, at) => (bytes += page.bytes) > maxBytes && (fresh.length > 0 ? page.bytes > MIN_BYTES : at > 0))
    .map(({ projectId, pageId }) => ({ projectId, pageId }));
  if (fresh.length > 0 && over.length > 0) {
    await deps.queue.enqueueNow(vectorizeLongPage, over);
    deps.queue.wake(vectorizeLongPage);
  }
  const ids = new Set(over.map(({ pageId }) => pageId));
  const rests = jobs.filter(({ data }) => data.isRest === true && (fresh.length > 0 || ids.has(data.pageId)));
  // The jobs are queued without the delay of a retry, which has passed.
  const again = rests.map(({ data }) => restOf(data.projectId, data.pageId));
  await deps.queue.enqueueNow(vectorizeRest, again);
  return due.filter(({ data }) => !ids.has(data.pageId));
}

/** The time that a model takes for a batch. A page that is upserted meanwhile waits for one or two batches. */
const MAX_BATCH_MS = 500;
/** The average number of chunks of a page, its beginning included. */
const CHUNKS_PER_PAGE = 3;
const MIN_PAGES = 4;
/** A page up to this length goes into a batch, however slow the model is. */
const MIN_BYTES = 25_000;
/**
 * Words that pages share are counted once per batch, so a page of a large batch takes less of the database's time:
 * 0.4 ms with 64 pages, 0.2 ms with 256. But with 256, under 50 upserts a second, a page is found only after 0.9 s.
 */
const MAX_PAGES = 128;

const BYTES_PER_PAGE = 10_000;

/** The number of pages in a batch, for a model that takes `chunkMs` per chunk. */
export function pagesOfBatch(chunkMs: number): number {
  return Math.max(MIN_PAGES, Math.min(MAX_PAGES, Math.floor(MAX_BATCH_MS / (CHUNKS_PER_PAGE * chunkMs))));
}
