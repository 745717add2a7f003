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
  /** Even if these are many. */
  force?: boolean | undefined;
  /** Change nothing. */
  dryRun?: boolean | undefined;
}

export interface SyncResult {
  report: SyncReport;
  /** The first of those that were refused. */
  refusals: Refusal[];
  /** Of those that were refused; the others are redirects. */
  refusedPages: number;
  /** Why the pages that are gone were not deleted, although they were to be. */
  notPruned: string | undefined;
}

/**
 * Makes a project's pages equal to those of a source: creates and updates, counts what is the same without touching it,
 * stores the redirects that the source knows, and with `prune` deletes what it does not have. What is refused is
 * counted and does not stop it. If it is interrupted, the next run does what is left.
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
