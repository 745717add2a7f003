import { inTransaction } from '../platform/database/session/connect.js';
import type { Trx } from '../platform/database/db.js';
import { bumpIndexVersion } from '../projects/index-version.js';
import { makeDeletionWait } from '../projects/turns.js';
import { readWordsOfPage } from './store/index-rows.js';
import { hasRedirects } from '../rules/store/rules-of-path.js';
import { storeTombstone, type TombstoneOptions } from './store/tombstones.js';
import {
  deletePageRow,
  lockPageById,
  lockPagesByUrl,
  pageExistsAnywhere,
  type DeletablePage,
} from './store/page-rows.js';
import { changeVocabulary } from './store/vocabulary.js';
import type { Tenant } from '../platform/database/session/tenants.js';
import { ApiError, invalid } from '../base/errors.js';
import type { IndexChanges } from '../projects/index-changes.js';
import { learnRedirects } from '../rules/learn-redirects-job.js';
import type { JobQueue } from '../platform/queue/queue.js';
import type { PageUrl } from '../text/page-url.js';
import { vectorizeLongPage, vectorizePage, vectorizeRest } from './indexing/vectorize-job.js';

/** The maximum number of deletes per transaction, of some ten statements each. */
export const MAX_DELETES = 20;

export interface DeleteDeps {
  queue: JobQueue;
  indexChanges: IndexChanges;
  tombstones: TombstoneOptions;
}

/** The page to delete. At least one of both is set; both must refer to the same page. */
export interface DeleteTarget {
  url: PageUrl | undefined;
  pageId: string | undefined;
}

/**
 * Deletes a page in one transaction, with its vectors, words and waiting jobs, and invalidates cached answers. The
 * customer's redirects to it become active again when the page is pushed again. A tombstone recognizes its content
 * under another url.
 * @throws ApiError not_found; insufficient_permissions for a page of another project
 */
export async function deletePage(deps: DeleteDeps, { projectId, db }: Tenant, target: DeleteTarget) {
  const deleted = await inTransaction(db, async (trx) => {
    await makeDeletionWait(trx, projectId);
    const page = await lockTarget(trx, projectId, target);
    await deleteLocked(deps, trx, projectId, [page]);
    return page;
  });
  await deps.indexChanges.committedAndVisible(projectId);
  return deleted;
}

/** Deletes pages of distinct urls in one transaction. Returns them in that order; undefined where there is none. */
export async function deletePages(deps: DeleteDeps, { projectId, db }: Tenant, urls: readonly PageUrl[]) {
  const deleted = await inTransaction(db, async (trx) => {
    await makeDeletionWait(trx, projectId);
    const hashes = urls.map(({ hash }) => hash);
    const pages = await lockPagesByUrl(trx, projectId, hashes);
    if (pages.length > 0) await deleteLocked(deps, trx, projectId, pages);
    return new Map(pages.map((page) => [page.url, page]));
  });
  if (deleted.size > 0) await deps.indexChanges.committedAndVisible(projectId);
  return urls.map(({ href }) => deleted.get(href));
}

async function deleteLocked(deps: DeleteDeps, trx: Trx, projectId: string, pages: readonly DeletablePage[]) {
  const pageIds = pages.map((page) => page.page_id);
  for (const job of [vectorizePage, vectorizeLongPage]) await deps.queue.withdraw(trx, job, pageIds);
  const rests = pageIds.map((pageId) => vectorizeRest.key?.({ projectId, pageId }) ?? '');
  await deps.queue.withdraw(trx, vectorizeRest, rests);
  const changes = new Map<string, number>();
  let searchable = 0;
  let hadRedirects = false;
  for (const page of pages) {
    const words = await readWordsOfPage(trx, projectId, page.page_id);
    if (words) searchable++;
    for (const word of new Set(words)) changes.set(word, (changes.get(word) ?? 0) - 1);
    hadRedirects = (await hasRedirects(trx, projectId, page)) || hadRedirects;
    await storeTombstone(trx, projectId, page.page_id, deps.tombstones);
    await deletePageRow(trx, projectId, page.page_id);
  }
  // Section redirects are learned again without the redirects of these pages.
  if (hadRedirects) await deps.queue.enqueue(trx, learnRedirects, [{ projectId }]);
  const words = await changeVocabulary(trx, projectId, changes);
  await bumpIndexVersion(trx, projectId, { pages: -searchable, words });
}

async function lockTarget(trx: Trx, projectId: string, { url, pageId }: DeleteTarget): Promise<DeletablePage> {
  if (pageId !== undefined) {
    const page = await lockPageById(trx, projectId, pageId);
    if (page) {
      if (url && url.href !== page.url) throw invalid('url', 'url and pageId mean different pages: give one of them.');
      return page;
    }
    if (await pageExistsAnywhere(trx, pageId))
      throw new ApiError('insufficient_permissions', {
        message: 'This page belongs to another project.',
        param: 'pageId',
      });
    throw new ApiError('not_found', { message: 'There is no page with this pageId.', param: 'pageId' });
  }
  const [page] = url ? await lockPagesByUrl(trx, projectId, [url.hash]) : [];
  if (!page) throw new ApiError('not_found', { message: 'The project has no page with this url.', param: 'url' });
  return page;
}
