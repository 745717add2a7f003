import { rowsInOrder } from './store/rows-in-order.js';
import { holdPages, listHeldPages, listUrlHashes, releasePages, type StoredUrl } from './store/synced-pages.js';
import type { Tenant } from '../platform/database/session/tenants.js';
import { deletePages, MAX_DELETES, type DeleteDeps } from '../pages/delete-pages.js';
import { parsePageUrl, type PageUrl } from '../text/page-url.js';
import { urlKey } from './sync-run.js';

/** Pages that were stored before `until`, the start of the sync, and are not in `seen`, the urls of its source. */
export async function* vanishedPages({ db, projectId }: Tenant, seen: ReadonlySet<string>, until: Date) {
  const read = (after: Buffer, limit: number) => listUrlHashes(db, projectId, { until, after, limit });
  for await (const page of rowsInOrder(read, Buffer.alloc(0), ({ url_hash }) => url_hash))
    if (!seen.has(urlKey(page.url_hash))) yield page;
}

/** Deletes pages, {@link MAX_DELETES} per transaction. @returns their number, including those already deleted */
export async function deleteVanishedPages(
  deps: DeleteDeps,
  tenant: Tenant,
  pages: AsyncIterable<StoredUrl>,
  onProgress: (done: number) => void,
): Promise<number> {
  let deleted = 0;
  let urls: PageUrl[] = [];
  const deleteBatch = async (): Promise<void> => {
    await deletePages(deps, tenant, urls);
    deleted += urls.length;
    urls = [];
    onProgress(deleted);
  };
  for await (const page of pages) {
    const url = parsePageUrl(page.url);
    if (url) urls.push(url);
    if (urls.length === MAX_DELETES) await deleteBatch();
  }
  if (urls.length > 0) await deleteBatch();
  return deleted;
}

/** Marks pages as held: they were too many to delete. */
export async function holdVanishedPages({ db, projectId }: Tenant, pages: AsyncIterable<StoredUrl>): Promise<void> {
  await inBatches(pages, (ids) => holdPages(db, projectId, ids));
}

/** Releases held pages that the source has again. */
export async function releaseNamedPages({ db, projectId }: Tenant, seen: ReadonlySet<string>): Promise<void> {
  const read = (after: string, limit: number) => listHeldPages(db, projectId, after, limit);
  async function* named(): AsyncGenerator<{ page_id: string }> {
    for await (const page of rowsInOrder(read, '', ({ page_id }) => page_id))
      if (seen.has(urlKey(page.url_hash))) yield page;
  }
  await inBatches(named(), (ids) => releasePages(db, projectId, ids));
}

/** Pages per statement. */
const MAX_PAGES = 1_000;

async function inBatches(pages: AsyncIterable<{ page_id: string }>, change: (ids: readonly string[]) => Promise<void>) {
  const ids: string[] = [];
  for await (const { page_id } of pages) if (ids.push(page_id) === MAX_PAGES) await change(ids.splice(0));
  if (ids.length > 0) await change(ids);
}

/** Deleting a larger share of the project's pages looks like a mistake. */
const MAX_SHARE = 1 / 5;

const FORCE = '--force deletes them all the same.';

interface Pruning {
  gone: number;
  /** Gone pages that an earlier sync has held. */
  held: number;
  /** Pages of the project before the sync. */
  stored: number;
  /** Pages of the source. */
  named: number;
  /** Unreadable items of the source; each may be one of the gone pages. */
  unread: number;
}

/**
 * Why the gone pages are not deleted; undefined if they may be. `force` overrides all reasons but an empty source,
 * which is more often broken than empty.
 */
export function reasonNotToPrune({ gone, held, stored, named, unread }: Pruning, force: boolean): string | undefined {
  if (gone === 0) return undefined;
  if (named === 0) return `the source has no pages, and all ${stored} of the project would be deleted.`;
  if (force) return undefined;
  if (unread > 0)
    return `${unread} of the source could not be read, and may be among the ${gone} pages that it does not have. ${FORCE}`;
  if (tooMany({ gone, stored }))
    return `the source does not have ${gone} of the project's ${stored} pages, more than a fifth. ${FORCE}`;
  if (held > 0)
    return `an earlier sync held back ${held} of the ${gone} pages that the source does not have, as too many at once. ${FORCE}`;
  return undefined;
}

/**
 * Whether the gone pages are held until --force: pages pushed before the next sync would make their share look small.
 * Unreadable items hold nothing, because the next sync may read them.
 */
export function tooMany({ gone, stored }: Pick<Pruning, 'gone' | 'stored'>): boolean {
  return gone > stored * MAX_SHARE;
}
