/** How much of a project its segments cover (pathmend.own_indexes), and how much came after the last of them. */
export interface Coverage {
  /** Passages of each, in the order of arrival. */
  segments: readonly number[];
  /** Passages of the unindexed tail, behind the last segment. */
  tail: number;
  /** Whether nothing has arrived for a while. */
  quiet: boolean;
}

/** Makes one segment of those from `from` up to `end`, which is not included; none of them where the two are equal. */
export interface SegmentBuild {
  from: number;
  end: number;
  /** With the unindexed tail. */
  withTail: boolean;
}

/**
 * Each is four look-ups of a search, some 3 ms together, where a scan of what it covers would take 20 and more; and
 * each is one more index that every statement on its tables has to be planned with.
 */
export const MAX_SEGMENTS = 6;

/**
 * The last segments become one with the one before them when together they are a third of it: no graph is built anew
 * for less.
 */
const MERGE_SHARE = 1 / 3;

/**
 * What is to be built next, if anything: a log-structured merge tree (O'Neil and others, 1996; docs/decisions/0004).
 * The tail goes first, since it is scanned, in a segment of its own: so an import does not wait for graphs of what
 * others hold already. Segments are merged when they are too many, the cheapest neighbours only, and else when nothing
 * arrives: the sizes that are left then fall by two thirds or more from one to the next.
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
