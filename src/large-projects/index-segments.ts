/** How much of a project its segments cover (pathmend.own_indexes), and how much came after the last of them. */
export interface Coverage {
  /** Passages of each, in the order of arrival. */
  segments: readonly number[];
  /** Passages behind the last. */
  late: number;
  /** Whether nothing has arrived for a while. */
  quiet: boolean;
}

/** Makes one segment of those from `from` up to `end`, which is not included; none of them where the two are equal. */
export interface SegmentBuild {
  from: number;
  end: number;
  /** With all that came late. */
  late: boolean;
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
const TAIL_SHARE = 1 / 3;

/**
 * What is to be built next, if anything. What came late goes first, since it is scanned, in a segment of its own: so an
 * import is not kept waiting for graphs that hold what others hold already. It can make more segments than there should
 * be, but each of them larger. Segments are put together when they are too many, the cheapest neighbours only, and else
 * when nothing arrives: the sizes that are left then fall by two thirds or more from one to the next, as in a
 * log-structured merge tree (O'Neil and others, 1996).
 */
export function nextBuild(ownIndexPassages: number, { segments, late, quiet }: Coverage): SegmentBuild | undefined {
  if (ownIndexPassages === 0) return undefined;
  const end = segments.length;
  const enough = end === 0 ? ownIndexPassages : (ownIndexPassages / 2) * Math.max(1, end / MAX_SEGMENTS);
  if (late >= enough) return { from: end, end, late: true };
  if (end > MAX_SEGMENTS) return cheapestPair(segments);
  const from = startOfTail(segments);
  return quiet && end - from > 1 ? { from, end, late: true } : undefined;
}

function cheapestPair(segments: readonly number[]): SegmentBuild {
  const cost = (at: number): number => (segments[at] ?? 0) + (segments[at + 1] ?? 0);
  let from = 0;
  for (let at = 1; at < segments.length - 1; at++) if (cost(at) < cost(from)) from = at;
  return { from, end: from + 2, late: false };
}

function startOfTail(segments: readonly number[]): number {
  let from = segments.length - 1;
  let tail = segments[from] ?? 0;
  for (; from > 0; from--) {
    const before = segments[from - 1] ?? 0;
    if (tail < before * TAIL_SHARE) break;
    tail += before;
  }
  return from;
}
