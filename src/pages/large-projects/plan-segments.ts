/** Replaces the segments from `from` up to, and without, `end`; the unindexed tail counts as the last segment. */
export interface SegmentBuild {
  from: number;
  end: number;
}

/** Each segment costs a search four look-ups, some 3 ms together; a scan of the same chunks takes 20 and more. */
export const MAX_SEGMENTS = 6;

/** The last segments are merged with the one before them when together they reach this share of it. */
const MERGE_SHARE = 1 / 3;

/**
 * Plans the next build, if one is due, as a log-structured merge tree (O'Neil and others, 1996; decision 0083).
 * The tail, which is scanned, goes first, into its own segment: so an import does not wait for graphs to be rebuilt.
 * When there are too many segments, the cheapest two neighbours are merged. Other merges wait until nothing arrives;
 * after them each segment is less than a third of the one before.
 * @param segments chunks of each, in the order of arrival
 * @param tail chunks of the unindexed tail
 * @param quiet whether nothing has arrived for a while
 */
export function planBuild(
  ownIndexChunks: number,
  { segments, tail, quiet }: { segments: readonly number[]; tail: number; quiet: boolean },
): SegmentBuild | undefined {
  if (ownIndexChunks === 0) return undefined;
  const count = segments.length;
  const enough = count === 0 ? ownIndexChunks : (ownIndexChunks / 2) * Math.max(1, count / MAX_SEGMENTS);
  if (tail >= enough) return { from: count, end: count + 1 };
  if (count > MAX_SEGMENTS) {
    const pairs = segments.slice(1).map((size, before) => size + (segments[before] ?? 0));
    const from = pairs.indexOf(Math.min(...pairs));
    return { from, end: from + 2 };
  }
  let from = count - 1;
  for (let merged = 0; from > 0; from--) {
    merged += segments[from] ?? 0;
    if (merged < (segments[from - 1] ?? 0) * MERGE_SHARE) break;
  }
  return quiet && count - from > 1 ? { from, end: count + 1 } : undefined;
}

/** Stale pages are deleted from this share on: they displace others in the results of a segment's indexes. */
const STALE_SHARE = 0.01;
/** Deleted data leaves every segment within this time, even if the number of pages shows none. */
const MAX_STALE_SECONDS = 86_400;

/** The segments whose stale rows are due for deletion, by their share or their age. */
export function segmentsToSweep<Segment extends { pages: number; swept_seconds: number }>(of: {
  segments: readonly Segment[];
  tail_pages: number;
  /** The number of searchable pages of the project. */
  pages: number;
}): Segment[] {
  const held = of.segments.reduce((sum, { pages }) => sum + pages, of.tail_pages);
  const isMuch = held > of.pages && held - of.pages >= held * STALE_SHARE;
  return of.segments.filter((segment) => isMuch || segment.swept_seconds >= MAX_STALE_SECONDS);
}
