/** What a batch may take a model: who upserts a page meanwhile waits for one or two of these. */
const BATCH_MS = 500;
/** Of an ordinary page, its beginning among them. */
const PASSAGES_OF_PAGE = 3;
const MIN_PAGES = 4;
/** A page of this length is no long one, however slow the model is. */
export const MIN_BYTES = 25_000;
/**
 * Words that pages share are counted once for a batch: the more, the less of the database's time each takes (0.4 ms
 * with 64, 0.2 with 256). But 256 are found 0.9 s after their upsert under 50 upserts a second.
 */
const MAX_PAGES = 128;

/** Bytes of an ordinary page's content. */
const BYTES_OF_PAGE = 10_000;

/** How much content a batch of so many pages may have. */
export function bytesOfBatch(pages: number): number {
  return Math.max(MIN_BYTES, pages * BYTES_OF_PAGE);
}

/** How many pages make a batch for a model that takes `passageMs` milliseconds for a passage. */
export function pagesOfBatch(passageMs: number): number {
  return Math.max(MIN_PAGES, Math.min(MAX_PAGES, Math.floor(BATCH_MS / (PASSAGES_OF_PAGE * passageMs))));
}
