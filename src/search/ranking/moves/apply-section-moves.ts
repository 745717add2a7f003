import type { SectionMove } from '../../../rules/learned/weigh-section-moves.js';
import { joinSegments, splitPath } from '../../../text/paths/plain-path.js';

const MAX_CONFIDENCE = 0.99;

/** A section move whose old prefix matches the path. */
export interface MatchingMove extends Pick<SectionMove, 'oldPrefix' | 'newPrefix' | 'confidence'> {
  byClicks?: boolean;
  /** The confidence of all moves of the same old prefix together. Absent: of the given ones. */
  whole?: number;
}

/**
 * Rewrites a dead path of these plain segments by section moves; best first. Only one result can be right. So the
 * longest old prefix comes first, redirects before clicks, and the confidence of later results is multiplied by what
 * the earlier ones leave open: 1 - their confidence. An old prefix may have moved to several places. Those at which the
 * path's page is live (`lives`) share the confidence of all.
 */
export function applySectionMoves(
  segments: readonly string[],
  moves: readonly MatchingMove[],
  lives: (path: string) => boolean = () => true,
): { path: string; confidence: number }[] {
  const own = joinSegments(segments);
  const found = new Map<string, number>();
  let open = 1;
  for (const { prefix, tail } of splitPath(segments)) {
    for (const byClicks of [false, true]) {
      const matching = moves.filter((move) => move.oldPrefix === prefix && (move.byClicks ?? false) === byClicks);
      const living = matching.filter(({ newPrefix }) => newPrefix + tail !== own && lives(newPrefix + tail));
      const whole = Math.min(MAX_CONFIDENCE, matching[0]?.whole ?? sum(matching));
      const share = whole / sum(living);
      let highest = 0;
      for (const { newPrefix, confidence } of living) {
        const moved = newPrefix + tail;
        found.set(moved, Math.max(found.get(moved) ?? 0, confidence * share * open));
        highest = Math.max(highest, confidence * share);
      }
      open *= 1 - highest;
    }
  }
  return [...found]
    .map(([moved, confidence]) => ({ path: moved, confidence }))
    .sort((a, b) => b.confidence - a.confidence);
}

function sum(moves: readonly MatchingMove[]): number {
  return moves.reduce((all, { confidence }) => all + confidence, 0);
}
