import { type DeleteDeps, deletePages, MAX_DELETES } from '../pages/delete-pages.js';
import type { Tenant } from '../platform/database/session/tenants.js';
import type { Source } from '../sources/source.js';
import { type PageUrl, parsePageUrl } from '../text/page-url.js';
import { rowsInOrder } from '../platform/database/rows-in-order.js';
import {
  countStoredPages,
  holdPages,
  listHeldPages,
  listUrlHashes,
  releasePages,
  type StoredUrl,
} from './store/synced-pages.js';
import { type Refusal, type SyncReport, SyncRun, type SyncRunDeps, urlKey } from './sync-run.js';

type SyncDeps = SyncRunDeps & DeleteDeps;

export interface SyncOptions {
  /** Whether the pages that the source does not have are deleted. */
  prune?: boolean | undefined;
  /** Whether they are deleted even if they are many. */
  force?: boolean | undefined;
  dryRun?: boolean | undefined;
}

export interface SyncResult {
  report: SyncReport;
  /** The first refused items. */
  refusals: Refusal[];
  /** Refused items that are pages; the others are redirects. */
  refusedPages: number;
  /** The reason why the gone pages were not deleted in spite of `prune`. */
  notPruned: string | undefined;
}

/**
 * Syncs a project's pages with a source: creates and updates pages, leaves unchanged ones alone, stores redirects, and
 * with `prune` deletes the gone pages. Refused items are counted and do not stop it. After an interruption, the next
 * run does the rest.
 */
export async function syncPages(deps: SyncDeps, tenant: Tenant, source: Source, options: SyncOptions) {
  const before = await countStoredPages(tenant.db, tenant.projectId);
  const run = new SyncRun(deps, tenant, options.dryRun === true);
  for await (const item of source) await run.take(item);
  await run.end();
  const { report, seen, refusals, refusedPages, unread } = run;
  const vanished = (): AsyncGenerator<StoredUrl> => vanishedPages(tenant, seen, before.at);
  let held = 0;
  for await (const page of vanished()) {
    report.gone++;
    if (page.held) held++;
  }
  const named = report.created + report.updated_content + report.updated_metadata + report.unchanged;
  const pruning = { gone: report.gone, held, stored: before.pages, named, unread };
  const why = reasonNotToPrune(pruning, options.force === true);
  const notPruned = options.prune === true ? why : undefined;
  if (options.prune === true && options.dryRun !== true) {
    await releaseNamedPages(tenant, seen);
    if (notPruned === undefined)
      report.gone = await deleteVanishedPages(deps, tenant, vanished(), (deleted) => {
        deps.onProgress(run.items + deleted, report);
        deps.signal?.throwIfAborted();
      });
    // They are too many to delete.
    else if (tooMany(pruning)) await inBatches(vanished(), (ids) => holdPages(tenant.db, tenant.projectId, ids));
  }
  return { report, refusals, refusedPages, notPruned };
}

/** Yields the pages stored before `until`, the start of the sync, whose urls the source does not have. */
async function* vanishedPages({ db, projectId }: Tenant, seen: ReadonlySet<string>, until: Date) {
  const read = (after: Buffer, limit: number) => listUrlHashes(db, projectId, { until, after, limit });
  for await (const page of rowsInOrder(read, Buffer.alloc(0), ({ url_hash }) => url_hash))
    if (!seen.has(urlKey(page.url_hash))) yield page;
}

/** Deletes pages, {@link MAX_DELETES} per transaction. @returns their number, including those already deleted */
async function deleteVanishedPages(
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

/** Releases held pages that the source has again. */
async function releaseNamedPages({ db, projectId }: Tenant, seen: ReadonlySet<string>): Promise<void> {
  const read = (after: string, limit: number) => listHeldPages(db, projectId, after, limit);
  async function* named(): AsyncGenerator<{ page_id: string }> {
    for await (const page of rowsInOrder(read, '', ({ page_id }) => page_id))
      if (seen.has(urlKey(page.url_hash))) yield page;
  }
  await inBatches(named(), (ids) => releasePages(db, projectId, ids));
}

/** The max pages per statement. */
const MAX_PAGES = 1_000;

async function inBatches(pages: AsyncIterable<{ page_id: string }>, change: (ids: readonly string[]) => Promise<void>) {
  const ids: string[] = [];
  for await (const { page_id } of pages) if (ids.push(page_id) === MAX_PAGES) await change(ids.splice(0));
  if (ids.length > 0) await change(ids);
}

/** The max share of the project's pages that a sync deletes. Deleting a larger share looks like a mistake. */
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

/** Returns why gone pages are not deleted. `force` overrides all but an empty source, more often broken than empty. */
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
