import { countStoredPages, type StoredUrl } from './store/synced-pages.js';
import type { Tenant } from '../platform/database/session/tenants.js';
import type { DeleteDeps } from '../pages/delete-pages.js';
import type { Source } from '../sources/source.js';
import {
  deleteVanishedPages,
  holdVanishedPages,
  releaseNamedPages,
  tooMany,
  vanishedPages,
  reasonNotToPrune,
} from './prune-pages.js';
import { SyncRun, type Refusal, type SyncReport, type SyncRunDeps } from './sync-run.js';

type SyncDeps = SyncRunDeps & DeleteDeps;

export interface SyncOptions {
  /** Delete the pages that the source does not have. */
  prune?: boolean | undefined;
  /** Delete them even if they are many. */
  force?: boolean | undefined;
  dryRun?: boolean | undefined;
}

export interface SyncResult {
  report: SyncReport;
  /** The first refused items. */
  refusals: Refusal[];
  /** Refused items that are pages; the others are redirects. */
  refusedPages: number;
  /** Why the gone pages were not deleted in spite of `prune`. */
  notPruned: string | undefined;
}

/**
 * Syncs a project's pages with a source: creates and updates pages, leaves unchanged ones alone, stores redirects, and
 * with `prune` deletes the gone pages. Refused items are counted and do not stop it. After an interruption, the next
 * run does the rest.
 */
export async function syncPages(
  deps: SyncDeps,
  tenant: Tenant,
  source: Source,
  options: SyncOptions,
): Promise<SyncResult> {
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
    else if (tooMany(pruning)) await holdVanishedPages(tenant, vanished());
  }
  return { report, refusals, refusedPages, notPruned };
}
