/** How much of a project its segments cover (pathmend.own_indexes), and how much they do not. */
export interface Coverage {
  /** Passages of each, in the order of arrival. */
  segments: readonly number[];
  /** Passages of the unindexed tail, behind the last segment. */
  tail: number;
  /** Whether nothing has arrived for a while. */
  quiet: boolean;
}

/** Merges the segments from `from` to before `end` into one. Equal numbers: no segment, only the tail. */
export interface SegmentBuild {
  from: number;
  end: number;
  /** Whether the unindexed tail is included. */
  withTail: boolean;
}

/** Each segment costs a search four look-ups, some 3 ms together; a scan of the same passages takes 20 and more. */
export const MAX_SEGMENTS = 6;

/**
 * The last segments are merged with the one before them when together they reach this share of it. For less, a graph is
 * not rebuilt.
 */
const MERGE_SHARE = 1 / 3;

/**
 * Plans the next build, if one is due, as a log-structured merge tree (O'Neil and others, 1996; docs/decisions/0083).
 * The tail, which is scanned, goes first, into its own segment: so an import does not wait for graphs to be rebuilt.
 * When there are too many segments, the cheapest two neighbours are merged. Other merges wait until nothing arrives;
 * after them each segment is less than a third of the one before.
 */
export function planBuild(ownIndexPassages: number, { segments, tail, quiet }: Coverage): SegmentBuild | undefined {
  if (ownIndexPassages === 0) return undefined;
  const end = segments.length;
  const enough = end === 0 ? ownIndexPassages : (ownIndexPassages / 2) * Math.max(1, end / MAX_SEGMENTS);
  if (tail >= enough) return { from: end, end, withTail: true };
  if (end > MAX_SEGMENTS) return cheapestPair(segments);
  const from = startOfMerge(segments);
  return quiet && end - from > 1 ? { from, end, withTail: true } : undefined;
}

function cheapestPair(segments: readonly number[]): SegmentBuild {
  const cost = (at: number): number => (segments[at] ?? 0) + (segments[at + 1] ?? 0);
  let from = 0;
  for (let at = 1; at < segments.length - 1; at++) if (cost(at) < cost(from)) from = at;
  return { from, end: from + 2, withTail: false };
}

function startOfMerge(segments: readonly number[]): number {
  let from = segments.length - 1;
  let merged = segments[from] ?? 0;
  for (; from > 0; from--) {
    const before = segments[from - 1] ?? 0;
    if (merged < before * MERGE_SHARE) break;
    merged += before;
  }
  return from;
}

/** A segment of an earlier release, whose indexes are on the tables that all projects share, is built anew. */
export function sharedSegment(segments: readonly { pages: number | null }[]): SegmentBuild | undefined {
  const from = segments.findIndex(({ pages }) => pages === null);
  return from < 0 ? undefined : { from, end: from + 1, withTail: false };
}

/** Pages that changed or went take the place of others among what a segment's indexes find. */
const STALE_SHARE = 0.01;
/**
 * Whatever is deleted is gone from everywhere soon, too. Not only where pages are missing by their number: a page's
 * passages may be in a segment and its path behind it.
 */
const MAX_STALE_SECONDS = 86_400;

/** The segments from which what has changed or gone is to be deleted: it is much, or has been there for long. */
export function segmentsToSweep<Segment extends { pages: number | null; swept_seconds: number }>(of: {
  segments: readonly Segment[];
  /** Pages of the unindexed tail. */
  tail_pages: number;
  /** Searchable pages. */
  pages: number;
}): Segment[] {
  const held = of.segments.reduce((sum, { pages }) => sum + (pages ?? 0), of.tail_pages);
  const stale = held - of.pages;
  if (of.segments.some(({ pages }) => pages === null)) return [];
  const isMuch = stale > 0 && stale >= held * STALE_SHARE;
  return of.segments.filter((segment) => isMuch || segment.swept_seconds >= MAX_STALE_SECONDS);
}
