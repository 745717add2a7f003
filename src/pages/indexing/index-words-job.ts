import { inTransaction } from '../../platform/database/session/connect.js';
import type { Db, Trx } from '../../platform/database/db.js';
import { keepingPlans } from '../../platform/database/session/driver.js';
import type { Tenants } from '../../platform/database/session/tenants.js';
import type { Job } from '../../platform/queue/job.js';
import type { JobQueue } from '../../platform/queue/queue.js';
import type { IndexChanges } from '../../projects/index-changes.js';
import { bumpIndexVersion } from '../../projects/index-version.js';
import { makeDeletionWait } from '../../projects/turns.js';
import { lockUnchangedPages, readVectorTypes } from '../store/index-rows.js';
import {
  addWordlessPages,
  dropWordlessPages,
  findWordlessPages,
  readWordlessPages,
  type WordlessPage,
} from '../store/wordless-pages.js';
import { plainContent, prepareWords, storeWords, type StagedWords } from './store-words.js';

export interface IndexWordsDeps {
  queue: JobQueue;
  tenants: Tenants;
  indexChanges: IndexChanges;
  /** Whether the embedded database is used. */
  embedded: boolean;
}

/** A turn of a project. Pages that were pushed alone have a job without `isBulk`, which goes before a bulk job. */
interface IndexWords {
  projectId: string;
  isBulk: boolean;
}

/** The maximum number of pages in a turn. On the embedded database a transaction blocks every request. */
const MAX_PAGES = 100;
const MAX_EMBEDDED_PAGES = 24;
/** The maximum number of bytes of content in a turn: a megabyte takes a second of the processor. */
const MAX_BYTES = 1_000_000;

/** Stores words and paths, so that searches find pages before the model reads them. Projects take turns: one a job. */
export const indexWords: Job<IndexWords, IndexWordsDeps> = {
  name: 'index-words',
  policy: 'short',
  key: ({ projectId, isBulk }) => `${projectId} ${isBulk}`,
  fairShare: { by: ({ projectId }) => projectId, seconds: 0.3 },
  options: {
    notify: true,
    retryLimit: 3,
    retryDelay: 1,
    retryBackoff: true,
    expireInSeconds: 300,
    heartbeatSeconds: 15,
    deleteAfterSeconds: 60,
  },
  work: (deps) => ({
    burstWhenBatchFull: true,
    handle: async (jobs) => {
      for (const { data } of jobs) await indexNextWords(deps, data);
    },
  }),
};

/** Queues pages so that their words are stored soon. The caller wakes the job after the commit. */
export async function queueWords(
  trx: Trx,
  queue: Pick<JobQueue, 'enqueue'>,
  projectId: string,
  pageIds: readonly string[],
  urgency?: 'bulk',
): Promise<void> {
  if (pageIds.length === 0) return;
  await addWordlessPages(trx, projectId, pageIds, urgency === 'bulk');
  await queueTurn(trx, queue, { projectId, isBulk: urgency === 'bulk' });
}

function queueTurn(trx: Trx, queue: Pick<JobQueue, 'enqueue'>, turn: IndexWords): Promise<void> {
  return queue.enqueue(trx, indexWords, [turn], turn.isBulk ? 'bulk' : undefined);
}

async function indexNextWords(deps: IndexWordsDeps, { projectId, isBulk }: IndexWords): Promise<void> {
  const { db } = deps.tenants.of(projectId);
  const next = await findWordlessPages(db, projectId, deps.embedded ? MAX_EMBEDDED_PAGES : MAX_PAGES);
  if (next.length === 0) return;
  const waiting = await readWordlessPages(db, projectId, next, MAX_BYTES);
  const unread = new Set(waiting.filter(({ content }) => content === null).map(({ page_id }) => page_id));
  const ids = next.filter((id) => !unread.has(id));
  const store = (pageIds: readonly string[]): Promise<boolean> => {
    const pages = waiting.filter(({ page_id }) => pageIds.includes(page_id));
    return storeWaiting(db, projectId, pageIds, pages);
  };
  let hasMore: boolean;
  try {
    hasMore = await store(ids);
  } catch {
    // The faulty page waits for its vectors, where its failure is recorded; the others are stored.
    for (const id of ids)
      await store([id]).catch(() => inTransaction(db, (trx) => dropWordlessPages(trx, projectId, [id])));
    hasMore = true;
  }
  deps.indexChanges.committed(projectId);
  if (!hasMore) return;
  await inTransaction(db, (trx) => queueTurn(trx, deps.queue, { projectId, isBulk }));
  deps.queue.wake(indexWords);
}

/** Stores the words of pages that still wait for them. @returns whether other pages of the project wait */
async function storeWaiting(db: Db, projectId: string, ids: readonly string[], waiting: readonly WordlessPage[]) {
  const prepared: StagedWords[] = [];
  for (const page of waiting) {
    const content = plainContent({ ...page, content: page.content ?? '' });
    prepared.push({ ...(await prepareWords({ ...page, content })), stage: 'words' });
  }
  return inTransaction(keepingPlans(db), async (trx) => {
    await makeDeletionWait(trx, projectId);
    const versions = prepared.map(({ row }) => ({ pageId: row.pageId, contentVersion: row.contentVersion }));
    const unchanged = await lockUnchangedPages(trx, projectId, versions, true);
    const stored = prepared.filter(({ row }) => unchanged.has(row.pageId));
    const changes = await storeWords(trx, projectId, await readVectorTypes(trx), stored, unchanged);
    // A page that changed meanwhile waits for another turn.
    const left = new Set(waiting.map(({ page_id }) => page_id).filter((id) => !unchanged.has(id)));
    const done = ids.filter((id) => !left.has(id));
    const hasMore = await dropWordlessPages(trx, projectId, done);
    if (stored.length > 0) await bumpIndexVersion(trx, projectId, changes);
    return hasMore;
  });
}
