import type { Db, Trx } from '../platform/database/db.js';
import { inTransaction } from '../platform/database/session/connect.js';
import type { JobQueue } from '../platform/queue/queue.js';
import type { IndexChanges } from '../projects/index-changes.js';
import { bumpIndexVersion, bumpIndexVersions } from '../projects/index-version.js';
import { indexWords } from './indexing/index-words-job.js';
import { vectorizePage } from './indexing/vectorize-job.js';
import { findStalledPages, markPending } from './store/page-status.js';
import { dropOldTombstones, eraseTombstone } from './store/tombstones.js';

/** The time after which a page has lost its job: it is longer than any job with its retries takes. */
const STALLED_AFTER_SECONDS = 3_600;
const MAX_STALLED = 10_000;

/** Runs hourly: drops old tombstones, requeues pages whose job was lost (a killed worker), and returns their number. */
export async function maintainPages(deps: { db: Db; queue: JobQueue; indexChanges: IndexChanges }, before: Date) {
  const changed = await inTransaction(deps.db, async (trx) => {
    const projects = await dropOldTombstones(trx, before);
    await bumpIndexVersions(trx, projects);
    return projects;
  });
  for (const projectId of changed) deps.indexChanges.committed(projectId);
  return requeueStalledPages(deps, STALLED_AFTER_SECONDS);
}

/** Requeues pages that have been pending or processing for longer than `olderThanSeconds`; returns their number. */
export async function requeueStalledPages({ db, queue }: { db: Db; queue: JobQueue }, olderThanSeconds: number) {
  const stalled = await findStalledPages(db, olderThanSeconds, MAX_STALLED);
  await inTransaction(db, async (trx) => {
    await queue.enqueue(trx, vectorizePage, stalled);
    const projectIds = new Set(stalled.map(({ projectId }) => projectId));
    const turns = Array.from(projectIds, (projectId) => ({ projectId, isBulk: true }));
    await queue.enqueue(trx, indexWords, turns, 'bulk');
  });
  queue.wake(indexWords);
  queue.wake(vectorizePage);
  return stalled.length;
}

/** Erases the tombstone of a deleted page. Returns false if there is none. */
export async function eraseDeletedPage(db: Db, projectId: string, urlHash: Buffer): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const isErased = await eraseTombstone(trx, projectId, urlHash);
    if (isErased) await bumpIndexVersion(trx, projectId);
    return isErased;
  });
}

/** Queues every page of a project for vectorization, behind the jobs of upserts. Returns their number. */
export async function reindexAll(trx: Trx, queue: Pick<JobQueue, 'enqueue'>, projectId: string): Promise<number> {
  return queuePages(trx, queue, projectId);
}

/** Queues one page; returns whether the project has it. */
export async function reindexPage(trx: Trx, queue: Pick<JobQueue, 'enqueue'>, projectId: string, pageId: string) {
  return (await queuePages(trx, queue, projectId, pageId)) > 0;
}

async function queuePages(trx: Trx, queue: Pick<JobQueue, 'enqueue'>, projectId: string, onlyId?: string) {
  const payloads = (await markPending(trx, projectId, onlyId)).map((pageId) => ({ projectId, pageId }));
  await queue.enqueue(trx, vectorizePage, payloads, onlyId === undefined ? 'bulk' : undefined);
  return payloads.length;
}
