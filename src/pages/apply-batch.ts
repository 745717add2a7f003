import { ApiError, overloaded } from '../base/errors.js';
import type { Tenant } from '../platform/database/session/tenants.js';
import type { PageStatus } from '../base/glossary.js';
import type { PageUrl } from '../text/page-url.js';
import { deletePages, MAX_DELETES, type DeleteDeps } from './delete-pages.js';
import { MAX_CHARACTERS, MAX_UPSERTS, upsertPages, type UpsertDeps, type UpsertedPage } from './upsert-pages.js';
import type { PushedPage } from './check-page.js';

/** A page to upsert, the url of a page to delete, or the error of an invalid item. `at`: its path in the request. */
export type BatchItem = { at: string } & ({ page: PushedPage } | { gone: PageUrl } | { error: unknown });

/** `success` and `deleted`: the page was deleted. */
export type BatchResult =
  { pageId: string; status: PageStatus | 'success'; action: UpsertedPage['action'] | 'deleted' } | { error: unknown };

/** Runs a chunk within the project's fair share. */
export type InTurn = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** No chunk begins after this time, which leaves time for the last: a connection ends after 40 s without a byte. */
const MAX_MS = 20_000;

/**
 * Applies a batch in order, in chunks of one transaction each; a repeated url begins a new chunk. Other requests run
 * between chunks. An invalid item does not fail the others. If the database rejects a chunk, it and all later chunks
 * get that error. Chunks that have not begun after `maxMs` get `overloaded`.
 * @throws the error of the first chunk, when nothing was done; AbortError if the client has gone
 */
export async function applyBatch(
  deps: UpsertDeps & DeleteDeps,
  tenant: Tenant,
  items: Iterable<BatchItem>,
  inTurn: InTurn,
  maxMs = MAX_MS,
): Promise<BatchResult[]> {
  const until = performance.now() + maxMs;
  const results: BatchResult[] = [];
  let failure: { error: unknown } | undefined;
  let anyDone = false;
  for (const chunk of chunksOf(items)) {
    const work = chunk.filter((item) => !('error' in item));
    if (anyDone && performance.now() > until) failure ??= { error: overloaded() };
    let done: BatchResult[] = [];
    if (work.length > 0 && !failure) {
      try {
        done = await inTurn(() => applyChunk(deps, tenant, work));
        anyDone = true;
      } catch (error) {
        if (!anyDone || (error instanceof Error && error.name === 'AbortError')) throw error;
        failure = { error };
      }
    }
    for (const item of chunk) results.push('error' in item ? item : (failure ?? (done.shift() as BatchResult)));
  }
  return results;
}

/** A chunk has only upserts or only deletes, of distinct urls. */
async function applyChunk(
  deps: UpsertDeps & DeleteDeps,
  tenant: Tenant,
  chunk: readonly BatchItem[],
): Promise<BatchResult[]> {
  const pages = chunk.flatMap((item) => ('page' in item ? [item.page] : []));
  if (pages.length > 0) return upsertPages(deps, tenant, pages, 'bulk');
  const gone = chunk.flatMap((item) => ('gone' in item ? [item] : []));
  const urls = gone.map((item) => item.gone);
  const deleted = await deletePages(deps, tenant, urls);
  return gone.map(({ at }, index) => {
    const page = deleted[index];
    if (page) return { pageId: page.page_id, status: 'success', action: 'deleted' };
    const message = 'The project has no page with this url.';
    return { error: new ApiError('not_found', { message, param: at }) };
  });
}

function* chunksOf(items: Iterable<BatchItem>): Generator<BatchItem[]> {
  let chunk: BatchItem[] = [];
  let kind: 'page' | 'gone' | undefined;
  let urls = new Set<string>();
  let characters = 0;
  for (const item of items) {
    if (!('error' in item)) {
      const [next, url] = 'page' in item ? (['page', item.page.url] as const) : (['gone', item.gone] as const);
      const isFull = urls.size >= (next === 'page' ? MAX_UPSERTS : MAX_DELETES) || characters >= MAX_CHARACTERS;
      if (isFull || urls.has(url.href) || (kind !== undefined && kind !== next)) {
        yield chunk;
        [chunk, urls, characters] = [[], new Set(), 0];
      }
      kind = next;
      urls.add(url.href);
      if ('page' in item) characters += item.page.content.length;
    }
    chunk.push(item);
  }
  yield chunk;
}
