import type { Trx } from '../database/db.js';
import { markAllPending } from '../database/queries/page-status.js';
import type { JobQueue } from '../queue/queue.js';
import { vectorizePage } from './vectorize-page.js';

/** Queues every page of a project for vectorization, behind the jobs of upserts. Returns their number. */
export async function reindexAll(trx: Trx, queue: Pick<JobQueue, 'enqueue'>, projectId: string): Promise<number> {
  const pageIds = await markAllPending(trx, projectId);
  await queue.enqueue(
    trx,
    vectorizePage,
    pageIds.map((pageId) => ({ projectId, pageId })),
    'bulk',
  );
  return pageIds.length;
}
