/** What a batch may take a model: who upserts a page meanwhile waits for one or two of these. */
const BATCH_MS = 500;
/** Of an ordinary page, its beginning among them. */
const PASSAGES_OF_PAGE = 3;
const FEWEST = 4;
/** Words that pages share are counted once for a batch: 256 pages took the database half as long for it as 64 at a time. */
const MOST = 256;

/** How many pages make a batch for a model that takes `passageMs` milliseconds for a passage. */
export function pagesOfBatch(passageMs: number): number {
  return Math.max(FEWEST, Math.min(MOST, Math.floor(BATCH_MS / (PASSAGES_OF_PAGE * passageMs))));
}
