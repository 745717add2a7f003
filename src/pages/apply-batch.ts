import { ApiError, overloaded } from '../base/errors.js';
import type { Tenant } from '../platform/database/session/tenants.js';
import type { PageStatus } from '../base/glossary.js';
import type { PageUrl } from '../text/page-url.js';
import { deletePages, MAX_DELETES, type DeleteDeps } from './delete-pages.js';
import { MAX_CHARACTERS, MAX_UPSERTS, upsertPages, type UpsertDeps, type UpsertedPage } from './upsert-pages.js';
import type { PushedPage } from './check-page.js';

/** A page to upsert, a url whose page to delete, or why it is neither. `at`: its dotted path in the request. */
export type BatchItem = { at: string } & ({ page: PushedPage } | { gone: PageUrl } | { error: unknown });

/** `success` and `deleted`: the page is gone. */
export type BatchResult =
  { pageId: string; status: PageStatus | 'success'; action: UpsertedPage['action'] | 'deleted' } | { error: unknown };

/** Runs a chunk when it is the project's turn. */
export type InTurn = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** A chunk that has begun may still wait. The connection ends after 40 s without a byte. */
const MAX_MS = 20_000;

/**
 * Does what a batch asks for, in its order, in chunks of one transaction each. A url that comes again begins a new
 * chunk. Between two chunks others have their turn. An item that is wrong spoils no other. When the database refuses a
 * chunk, its items and all after them get that error; so do those that are not begun after `maxMs`.
 * @throws the error of the first chunk: then nothing is done. AbortError, when nobody waits for the answer any more.
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

/** All of a chunk are upserts, or all are deletes, of urls that differ. */
async function applyChunk(
  deps: UpsertDeps & DeleteDeps,
  tenant: Tenant,
  chunk: readonly BatchItem[],
): Promise<BatchResult[]> {
  const pages = chunk.flatMap((item) => ('page' in item ? [item.page] : []));
  if (pages.length > 0) return upsertPages(deps, tenant, pages, 'bulk');
  const gone = chunk.flatMap((item) => ('gone' in item ? [item] : []));
  const deleted = await deletePages(
    deps,
    tenant,
    gone.map((item) => item.gone),
  );
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
