import { countStoredPages } from './store/synced-pages.js';
import type { Tenant } from '../platform/database/session/tenants.js';
import type { DeleteDeps } from '../pages/delete-pages.js';
import type { Source } from '../sources/source.js';
import { whyNotPrune, deleteVanishedPages, vanishedPages } from './prune-pages.js';
import { SyncRun, type Refusal, type SyncReport, type SyncRunDeps } from './sync-run.js';

export type SyncDeps = SyncRunDeps & DeleteDeps;

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
  report.gone = await count(vanishedPages(tenant, seen, before.at));
  const named = report.created + report.updated_content + report.updated_metadata + report.unchanged;
  const why = whyNotPrune({ gone: report.gone, stored: before.pages, named, unread }, options.force === true);
  const notPruned = options.prune === true ? why : undefined;
  if (options.prune === true && notPruned === undefined && options.dryRun !== true)
    report.gone = await deleteVanishedPages(deps, tenant, vanishedPages(tenant, seen, before.at), (deleted) => {
      deps.onProgress(run.items + deleted);
    });
  return { report, refusals, refusedPages, notPruned };
}

async function count(items: AsyncIterable<unknown>): Promise<number> {
  const all = items[Symbol.asyncIterator]();
  let counted = 0;
  while ((await all.next()).done !== true) counted++;
  return counted;
}
