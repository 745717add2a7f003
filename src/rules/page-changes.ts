import type { Trx } from '../platform/database/db.js';
import { deleteGone } from './store/store-rules.js';
import { hasRedirects } from './store/rules-of-path.js';

/** Runs when pages appear at these paths. Deletes the rules that mark the paths as gone. */
export async function onPagesCreated(trx: Trx, projectId: string, pathKeys: readonly Buffer[]): Promise<void> {
  await deleteGone(trx, projectId, pathKeys);
}

/** Runs when a page is deleted. Returns whether section redirects must be learned again without it. */
export function onPageDeleted(trx: Trx, projectId: string, page: { page_id: string; path_key: Buffer }) {
  return hasRedirects(trx, projectId, page);
}
