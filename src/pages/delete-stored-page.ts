import { inTransaction } from '../database/session/connect.js';
import type { Trx } from '../database/db.js';
import { bumpIndexVersion } from '../database/queries/index-version.js';
import { readWordsOfPage } from '../database/queries/page-index.js';
import { deactivateRedirects } from '../database/queries/waiting-redirects.js';
import { pageHasMoves } from '../database/queries/moves.js';
import { storeTombstone, type TombstoneOptions } from '../database/queries/tombstones.js';
import {
  deletePageRow,
  lockPageById,
  lockPageByUrl,
  pageExistsAnywhere,
  type DeletablePage,
} from '../database/queries/page-rows.js';
import { changeVocabulary } from '../database/queries/vocabulary.js';
import type { Tenant } from '../database/session/tenants.js';
import { ApiError, invalid } from '../errors.js';
import type { IndexChanges } from '../keys/index-changes.js';
import { learnMoves } from '../moves/learn-moves.js';
import type { JobQueue } from '../queue/queue.js';
import { pathKey } from '../text/paths/plain-path.js';
import { parsePageUrl, type PageUrl } from '../text/page-url.js';
import { vectorizeLongPage, vectorizePage } from './vectorize-page.js';

export interface DeleteDeps {
  queue: JobQueue;
  indexChanges: IndexChanges;
  tombstones: TombstoneOptions;
}

/** At least one is given. If both are, they must name the same page. */
export interface DeleteTarget {
  url: PageUrl | undefined;
  pageId: string | undefined;
}

/**
 * Deletes a page in one transaction, with its vectors, words, moves and waiting jobs; the index version ends cached
 * answers. The customer's redirects to it wait until the page is pushed again, and a tombstone stays, by which its
 * content is recognised under another url.
 * @throws ApiError not_found; insufficient_permissions when the identifier is another project's page.
 */
export async function deletePage(
  deps: DeleteDeps,
  { projectId, db }: Tenant,
  target: DeleteTarget,
): Promise<DeletablePage> {
  const deleted = await inTransaction(db, async (trx) => {
    const page = await lockTarget(trx, projectId, target);
    const words = await readWordsOfPage(trx, projectId, page.page_id);
    for (const job of [vectorizePage, vectorizeLongPage]) await deps.queue.withdraw(trx, job, page.page_id);
    // Section moves that its moves showed are learned again without them.
    if (await pageHasMoves(trx, projectId, page.page_id)) await deps.queue.enqueue(trx, learnMoves, [{ projectId }]);
    const url = parsePageUrl(page.url);
    if (url) await deactivateRedirects(trx, projectId, page.page_id, { ...url, pathKey: pathKey(url.path) });
    await storeTombstone(trx, projectId, page.page_id, deps.tombstones);
    await deletePageRow(trx, projectId, page.page_id);
    const change = await changeVocabulary(trx, projectId, new Map(words.map((word) => [word, -1])));
    await bumpIndexVersion(trx, projectId, change);
    return page;
  });
  await deps.indexChanges.committedAndVisible(projectId);
  return deleted;
}

async function lockTarget(trx: Trx, projectId: string, { url, pageId }: DeleteTarget): Promise<DeletablePage> {
  if (pageId !== undefined) {
    const page = await lockPageById(trx, projectId, pageId);
    if (page) {
      if (url && url.href !== page.url) throw invalid('url', 'url and pageId mean different pages: give one of them.');
      return page;
    }
    if (await pageExistsAnywhere(trx, pageId)) {
      throw new ApiError('insufficient_permissions', {
        message: 'This page belongs to another project.',
        param: 'pageId',
      });
    }
    throw new ApiError('not_found', { message: 'There is no page with this pageId.', param: 'pageId' });
  }
  const page = url && (await lockPageByUrl(trx, projectId, url.hash));
  if (!page) throw new ApiError('not_found', { message: 'The project has no page with this url.', param: 'url' });
  return page;
}
