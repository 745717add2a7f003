import { lockPagesForSync, listHeldPages, listUrlHashes, releasePages, type StoredUrl } from './store/synced-pages.js';
import type { Tenant } from '../platform/database/session/tenants.js';
import { deletePages, MAX_DELETES, type DeleteDeps } from '../pages/delete-pages.js';
import { parsePageUrl, type PageUrl } from '../text/page-url.js';
import { urlKey } from './sync-run.js';

/** Rows of one query. */
const MAX_ROWS = 5_000;

/** The project's pages that were there `until` the sync began and that its source does not name (`seen`). */
export async function* vanishedPages(
  { db, projectId }: Tenant,
  seen: ReadonlySet<string>,
  until: Date,
): AsyncGenerator<StoredUrl> {
  let after: Buffer = Buffer.alloc(0);
  for (;;) {
    const rows = await listUrlHashes(db, projectId, { until, after, limit: MAX_ROWS });
    for (const row of rows) if (!seen.has(urlKey(row.url_hash))) yield row;
    const last = rows.at(-1);
    if (!last || rows.length < MAX_ROWS) return;
    after = last.url_hash;
  }
}

/** Deletes pages, {@link MAX_DELETES} in a transaction; returns how many, those deleted by others among them. */
export async function deleteVanishedPages(
  deps: DeleteDeps,
  tenant: Tenant,
  pages: AsyncIterable<StoredUrl>,
  onProgress: (done: number) => void,
): Promise<number> {
  let deleted = 0;
  let urls: PageUrl[] = [];
  const deleteThese = async (): Promise<void> => {
    await deletePages(deps, tenant, urls);
    deleted += urls.length;
    urls = [];
    onProgress(deleted);
  };
  for await (const page of pages) {
    const url = parsePageUrl(page.url);
    if (url) urls.push(url);
    if (urls.length === MAX_DELETES) await deleteThese();
  }
  if (urls.length > 0) await deleteThese();
  return deleted;
}

/** Remembers pages that were not deleted because they were too many. */
export async function holdVanishedPages({ db, projectId }: Tenant, pages: AsyncIterable<StoredUrl>): Promise<void> {
  const ids: string[] = [];
  for await (const { page_id } of pages)
    if (ids.push(page_id) === MAX_ROWS) await lockPagesForSync(db, projectId, ids.splice(0));
  if (ids.length > 0) await lockPagesForSync(db, projectId, ids);
}

/** Forgets those of them that the source names again. */
export async function releaseNamedPages({ db, projectId }: Tenant, seen: ReadonlySet<string>): Promise<void> {
  let after = '';
  for (;;) {
    const rows = await listHeldPages(db, projectId, after, MAX_ROWS);
    const named = rows.filter(({ url_hash }) => seen.has(urlKey(url_hash))).map(({ page_id }) => page_id);
    if (named.length > 0) await releasePages(db, projectId, named);
    const last = rows.at(-1);
    if (!last || rows.length < MAX_ROWS) return;
    after = last.page_id;
  }
}

/** Of the project's pages; more at once look like a mistake. */
const MAX_PART = 1 / 5;

const FORCE = '--force deletes them all the same.';

interface Pruning {
  gone: number;
  /** Of these, those that an earlier sync has held. */
  held: number;
  /** Of the project, before the sync. */
  stored: number;
  /** Pages that the source named. */
  named: number;
  /** What of the source could not be read, and may be a page: any of those that are gone. */
  unread: number;
}

/**
 * Why the vanished pages are not deleted; undefined if they may be. `force`: all the same, but never for a source
 * without pages, which is more often broken than empty.
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
 * More at once than looks right. If they are not deleted now, they stay until somebody says so: pages that are pushed
 * meanwhile would make their share look small. What could not be read is read another time, and holds nothing longer.
 */
export function tooMany({ gone, stored }: Pick<Pruning, 'gone' | 'stored'>): boolean {
  return gone > stored * MAX_PART;
}
