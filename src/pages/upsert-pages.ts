import type { Clock } from '../base/clock.js';
import { inTransaction } from '../platform/database/session/connect.js';
import type { Trx } from '../platform/database/db.js';
import { keepingPlans } from '../platform/database/session/driver.js';
import { bumpIndexVersion } from '../projects/index-version.js';
import { makeDeletionWait } from '../projects/turns.js';
import { anyIndexed, insertPages, lockExistingPages, updatePages, type NewPage } from './store/page-rows.js';
import { clearReports } from './store/missing-pages.js';
import { removeTombstones } from './store/tombstones.js';
import { onPagesCreated } from '../rules/change-rules.js';
import type { Tenant } from '../platform/database/session/tenants.js';
import type { PageStatus } from '../base/glossary.js';
import type { IndexChanges } from '../projects/index-changes.js';
import { learnRedirects } from '../rules/learn-redirects-job.js';
import type { JobQueue } from '../platform/queue/queue.js';
import { createPageId, pageRow, type PushedPage } from './check-page.js';
import { indexWords, queueWords } from './indexing/index-words-job.js';
import { vectorizePage } from './indexing/vectorize-job.js';

/*
 * The states of a page:
 * - PENDING_VECTORIZATION: an upsert stored it and queued its job. A failed attempt also leads here, and so do new
 *   content from every state and any upsert of a page in ERROR.
 * - PROCESSING: a worker has taken the job (vectorize-batch.ts).
 * - INDEXED: its vectors, words and path are stored, in one transaction.
 * - ERROR: the last attempt failed.
 * A new page is found by its words and path alone until it is INDEXED (indexing/index-words-job.ts): a link to it is
 * offered, and no guess redirects to it.
 * A page that was indexed before is found by its former content until it is indexed again. A new title and new metadata
 * are seen at once; a new title alone is indexed without a change of the status.
 */

/** The limits of one transaction, which blocks every request on the embedded database. */
export const MAX_UPSERTS = 50;
export const MAX_CHARACTERS = 2_000_000;

/** `updated_metadata` includes pages without a change. */
export const UPSERT_ACTIONS = ['created', 'updated_content', 'updated_metadata'] as const;

export interface UpsertedPage {
  pageId: string;
  status: PageStatus;
  action: (typeof UPSERT_ACTIONS)[number];
  changed: boolean;
}

export interface UpsertDeps {
  queue: JobQueue;
  clock: Clock;
  indexChanges: IndexChanges;
}

/**
 * Creates or updates pages of one project with distinct urls, and queues their jobs in the same transaction. Resolves,
 * in the order of `pages`, when no process answers with stale caches. `bulk`: jobs of other upserts run first.
 */
export async function upsertPages(
  deps: UpsertDeps,
  { projectId, db }: Tenant,
  pages: readonly PushedPage[],
  urgency?: 'bulk',
): Promise<UpsertedPage[]> {
  const inputs = pages.map((page) => ({ page_id: createPageId(deps.clock.now()), ...pageRow(page) }));
  const { stored, indexChanged } = await inTransaction(keepingPlans(db), async (trx) => {
    await makeDeletionWait(trx, projectId);
    const stored = await storePages(trx, projectId, inputs);
    const toVectorize = stored.filter((page) => page.stale).map(({ pageId }) => ({ projectId, pageId }));
    await deps.queue.enqueue(trx, vectorizePage, toVectorize, urgency);
    const wordless = toVectorize.map(({ pageId }) => pageId);
    await queueWords(trx, deps.queue, projectId, wordless, urgency);
    const reported = stored.filter((page) => page.reported).map(({ pageId }) => pageId);
    const answersChange = reported.length > 0 && (await clearReports(trx, projectId, reported));
    const updated = stored.filter((page) => page.changed && page.action !== 'created').map(({ pageId }) => pageId);
    const indexChanged = (updated.length > 0 && (await anyIndexed(trx, projectId, updated))) || answersChange;
    // The version is not bumped: the redirects answer when the page is indexed.
    if (stored.some(({ awaited }) => awaited)) await deps.queue.enqueue(trx, learnRedirects, [{ projectId }]);
    if (indexChanged) await bumpIndexVersion(trx, projectId);
    return { stored, indexChanged };
  });
  deps.queue.wake(indexWords);
  deps.queue.wake(vectorizePage);
  if (indexChanged) await deps.indexChanges.committedAndVisible(projectId);
  return stored;
}

interface StoredPage extends UpsertedPage {
  /** Whether the page needs new vectors. */
  stale: boolean;
  /** Whether visitors reported the page missing. */
  reported: boolean;
  /** Whether redirects lead to the page. */
  awaited?: boolean;
}

async function storePages(trx: Trx, projectId: string, inputs: readonly NewPage[]): Promise<StoredPage[]> {
  const done = new Map<string, StoredPage>();
  // When another transaction inserts a missing page first, the next round finds it.
  for (let missing = inputs; missing.length > 0; missing = missing.filter(({ url }) => !done.has(url))) {
    const existing = new Map((await lockExistingPages(trx, projectId, missing)).map((row) => [row.url, row]));
    for (const [url, row] of existing) {
      const stale = !row.same_text || row.status === 'ERROR';
      done.set(url, {
        pageId: row.page_id,
        status: !row.same_content || row.status === 'ERROR' ? 'PENDING_VECTORIZATION' : row.status,
        action: row.same_content ? 'updated_metadata' : 'updated_content',
        changed: stale || !row.same_rest,
        stale,
        reported: row.reported,
      });
    }
    const changed = missing.filter(({ url }) => existing.has(url) && done.get(url)?.changed);
    if (changed.length > 0) await updatePages(trx, projectId, changed);
    const absent = missing.filter(({ url }) => !existing.has(url));
    if (absent.length > 0) {
      const bytesOf = (column: 'url_hash' | 'path_key') => absent.map((row) => Buffer.from(row[column], 'hex'));
      await removeTombstones(trx, projectId, bytesOf('url_hash'));
      await onPagesCreated(trx, projectId, bytesOf('path_key'));
    }
    for (const row of absent.length > 0 ? await insertPages(trx, projectId, absent) : [])
      done.set(row.url, {
        pageId: row.page_id,
        status: 'PENDING_VECTORIZATION',
        action: 'created',
        changed: true,
        stale: true,
        reported: false,
        awaited: row.awaited,
      });
  }
  return inputs.map(({ url }) => done.get(url) as StoredPage);
}
