/** Time that a model may take for one batch. A page that is upserted meanwhile waits for one or two batches. */
const MAX_BATCH_MS = 500;
/** Of an average page, its beginning included. */
const PASSAGES_PER_PAGE = 3;
const MIN_PAGES = 4;
/** A page up to this length goes into a batch, however slow the model is. */
export const MIN_BYTES = 25_000;
/**
 * Words that pages share are counted once per batch, so a page of a large batch takes less of the database's time:
 * 0.4 ms with 64 pages, 0.2 ms with 256. But with 256, under 50 upserts a second, a page is found only after 0.9 s.
 */
const MAX_PAGES = 128;

/** Of an average page's content. */
const BYTES_PER_PAGE = 10_000;

/** The max bytes of content in a batch of `pages`. */
export function bytesOfBatch(pages: number): number {
  return Math.max(MIN_BYTES, pages * BYTES_PER_PAGE);
}

/** The number of pages in a batch, for a model that takes `passageMs` per passage. */
export function pagesOfBatch(passageMs: number): number {
  return Math.max(MIN_PAGES, Math.min(MAX_PAGES, Math.floor(MAX_BATCH_MS / (PASSAGES_PER_PAGE * passageMs))));
}
