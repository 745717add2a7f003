import { listUrlHashes, type StoredUrl } from './store/synced-pages.js';
import type { Tenant } from '../platform/database/session/tenants.js';
import { deletePages, MAX_DELETES, type DeleteDeps } from '../pages/delete-pages.js';
import { parsePageUrl, type PageUrl } from '../text/page-url.js';
import type { SeenUrls } from './seen-urls.js';

/** Rows of one query. */
const MAX_ROWS = 5_000;

/** The project's pages that were there `until` the sync began and that its source does not name. */
export async function* vanishedPages(
  { db, projectId }: Tenant,
  seen: Pick<SeenUrls, 'has'>,
  until: Date,
): AsyncGenerator<StoredUrl> {
  let after: Buffer = Buffer.alloc(0);
  for (;;) {
    const rows = await listUrlHashes(db, projectId, { until, after, limit: MAX_ROWS });
    for (const row of rows) if (!seen.has(row.url_hash)) yield row;
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
