import { listUrlHashes, type StoredUrl } from '../database/queries/synced-pages.js';
import type { Tenant } from '../database/session/tenants.js';
import { ApiError } from '../errors.js';
import { deletePage, type DeleteDeps } from '../pages/delete-stored-page.js';
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

/** Deletes pages, each in a transaction of its own; returns how many. */
export async function deletePages(
  deps: DeleteDeps,
  tenant: Tenant,
  pages: AsyncIterable<StoredUrl>,
  onProgress: (done: number) => void,
): Promise<number> {
  let deleted = 0;
  for await (const { page_id } of pages) {
    try {
      await deletePage(deps, tenant, { url: undefined, pageId: page_id });
    } catch (error) {
      // Somebody else deleted it meanwhile.
      if (!(error instanceof ApiError && error.code === 'not_found')) throw error;
    }
    onProgress(++deleted);
  }
  return deleted;
}
