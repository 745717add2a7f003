import type { Trx } from '../platform/database/db.js';
import { deleteGone } from './store/store-rules.js';
import { hasRedirects } from './store/rules-of-path.js';

/** When pages appear at paths: these are gone no longer. */
export async function onPagesCreated(trx: Trx, projectId: string, pathKeys: readonly Buffer[]): Promise<void> {
  await deleteGone(trx, projectId, pathKeys);
}

/** When a page goes. Returns whether sections are to be learned anew without it. */
export async function onPageDeleted(
  trx: Trx,
  projectId: string,
  page: { page_id: string; path_key: Buffer },
): Promise<boolean> {
  return hasRedirects(trx, projectId, page);
}
