import type { Trx } from '../../platform/database/db.js';
import { markPending } from '../store/page-status.js';
import type { JobQueue } from '../../platform/queue/queue.js';
import { vectorizePage } from './vectorize-job.js';

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
