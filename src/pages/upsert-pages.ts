import { createHash } from 'node:crypto';
import type { Clock } from '../clock.js';
import { inTransaction } from '../database/session/connect.js';
import { bumpIndexVersion } from '../database/queries/index-pages.js';
import { anyIndexed, insertPages, lockExistingPages, updatePages, type PageInput } from '../database/queries/pages.js';
import { clearReports } from '../database/queries/missing-pages.js';
import { wakeRedirects } from '../database/queries/waiting-redirects.js';
import type { Tenant } from '../database/session/tenants.js';
import type { JsonObject, PageStatus } from '../glossary.js';
import type { IndexChanges } from '../keys/index-changes.js';
import { learnMoves, vectorizePage } from '../queue/kinds.js';
import type { JobQueue } from '../queue/queue.js';
import { pathKey } from '../text/paths/plain-path.js';
import { createPageId } from './page-id.js';
import type { PageUrl } from '../text/page-url.js';

/** A page as a customer pushes it. Absent title or metadata: leave what is there; null: clear it. */
export interface PushedPage {
  url: PageUrl;
  content: string;
  title?: string | null | undefined;
  metadata?: JsonObject | null | undefined;
}

export interface UpsertedPage {
  pageId: string;
  status: PageStatus;
  action: 'created' | 'updated_content' | 'updated_metadata';
  changed: boolean;
}

export interface UpsertDeps {
  queue: JobQueue;
  clock: Clock;
  indexChanges: IndexChanges;
}

/**
 * Imports pages: {@link storePages}, whose jobs let those of single pages go first; acknowledged when the change is
 * seen everywhere.
 */
export async function upsertPages(
  deps: UpsertDeps,
  tenant: Tenant,
  pages: readonly PushedPage[],
): Promise<UpsertedPage[]> {
  const { upserted, indexChanged } = await storePages(deps, tenant, pages, 'bulk');
  if (indexChanged) await deps.indexChanges.committedAndSeen(tenant.projectId);
  return upserted;
}

/**
 * Creates or updates pages of one project and queues what needs vectors, all in one transaction: never a page
 * without its job, nor a job for a page that was rolled back. The answers are in the order of `pages`, whose urls
 * must differ. `indexChanged`: answers show what was changed, see src/keys/index-changes.ts.
 */
export async function storePages(
  deps: UpsertDeps,
  { projectId, db }: Tenant,
  pages: readonly PushedPage[],
  urgency?: 'bulk',
): Promise<{ upserted: UpsertedPage[]; indexChanged: boolean }> {
  const inputs = pages.map((page): PageInput => ({
    pageId: createPageId(deps.clock.now()),
    url: page.url.href,
    urlHash: page.url.hash,
    pathKey: pathKey(page.url.path),
    title: page.title,
    content: page.content,
    contentHash: createHash('sha256').update(page.content).digest(),
    metadata: page.metadata,
  }));
  const stored = await inTransaction(db, async (trx) => {
    const done = new Map<string, UpsertedPage>();
    const toQueue: string[] = [];
    const awaited: Buffer[] = [];
    const reported: string[] = [];
    let indexChanged = false;
    let missing = inputs;
    // A page that is not there may be inserted by another transaction before we do: then it is there, and we look
    // again.
    while (missing.length > 0) {
      const existing = new Map(
        (await lockExistingPages(trx, projectId, missing)).map((row) => [row.url_hash.toString('hex'), row]),
      );
      const changed: PageInput[] = [];
      for (const input of missing) {
        const row = existing.get(input.urlHash.toString('hex'));
        if (!row) continue;
        if (row.reported) reported.push(row.page_id);
        const again = !row.same_content || row.status === 'ERROR';
        if (again) toQueue.push(row.page_id);
        if (again || !row.same_rest) changed.push(input);
        done.set(input.url, {
          pageId: row.page_id,
          status: again ? 'PENDING_VECTORIZATION' : row.status,
          action: row.same_content ? 'updated_metadata' : 'updated_content',
          changed: again || !row.same_rest,
        });
      }
      if (changed.length > 0) {
        const rows = await updatePages(trx, projectId, changed);
        indexChanged ||= await anyIndexed(
          trx,
          projectId,
          rows.map((row) => row.page_id),
        );
      }
      const absent = missing.filter((input) => !existing.has(input.urlHash.toString('hex')));
      const inserted = absent.length === 0 ? [] : await insertPages(trx, projectId, absent);
      awaited.push(...inserted.filter((row) => row.awaited).map((row) => row.path_key));
      const insertedHashes = new Map(inserted.map((row) => [row.url_hash.toString('hex'), row.page_id]));
      for (const input of absent) {
        const pageId = insertedHashes.get(input.urlHash.toString('hex'));
        if (pageId === undefined) continue;
        toQueue.push(pageId);
        done.set(input.url, { pageId, status: 'PENDING_VECTORIZATION', action: 'created', changed: true });
      }
      missing = absent.filter((input) => !done.has(input.url));
    }
    if (toQueue.length > 0)
      await deps.queue.enqueue(
        trx,
        vectorizePage,
        toQueue.map((pageId) => ({ projectId, pageId })),
        urgency,
      );
    if (reported.length > 0 && (await clearReports(trx, projectId, reported))) indexChanged = true;
    // Behind all pages, which every writer locks first. They answer when the page is indexed, which ends cached
    // answers.
    if (awaited.length > 0 && (await wakeRedirects(trx, projectId, awaited)) > 0)
      await deps.queue.enqueue(trx, learnMoves, [{ projectId }]);
    if (indexChanged) await bumpIndexVersion(trx, projectId);
    const upserted = inputs.map((input) => {
      const page = done.get(input.url);
      if (!page) throw new Error('a page was neither found nor inserted');
      return page;
    });
    return { upserted, indexChanged };
  });
  deps.queue.wake(vectorizePage);
  return stored;
}
