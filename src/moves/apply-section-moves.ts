import type { SectionMove } from './derive-section-moves.js';
import { joinSegments, splitsOf } from '../text/paths/plain-path.js';

const MAX_CONFIDENCE = 0.99;

export interface LeadingMove extends Pick<SectionMove, 'oldPrefix' | 'newPrefix' | 'confidence'> {
  byClicks?: boolean;
  /** Of all moves of the same old prefix together; left out: of those given. */
  whole?: number;
}

/**
 * Where section moves send a dead path of these plain segments, best first. Only one of several answers can be right,
 * so the longest old prefix comes first, and what shorter ones say counts for as much as it leaves open: times 1 - its
 * confidence; what clicks show comes behind what redirects show. Where an old prefix moved to several places, those of
 * which the path's page lives (`lives`) share out the confidence of all.
 */
export function applySectionMoves(
  segments: readonly string[],
  moves: readonly LeadingMove[],
  lives: (path: string) => boolean = () => true,
): { path: string; confidence: number }[] {
  const own = joinSegments(segments);
  const found = new Map<string, number>();
  let open = 1;
  for (const { prefix, tail } of splitsOf(segments)) {
    for (const byClicks of [false, true]) {
      const shown = moves.filter((move) => move.oldPrefix === prefix && (move.byClicks ?? false) === byClicks);
      const living = shown.filter(({ newPrefix }) => newPrefix + tail !== own && lives(newPrefix + tail));
      const whole = Math.min(MAX_CONFIDENCE, shown[0]?.whole ?? sum(shown));
      const share = whole / sum(living);
      let surest = 0;
      for (const { newPrefix, confidence } of living) {
        const moved = newPrefix + tail;
        found.set(moved, Math.max(found.get(moved) ?? 0, confidence * share * open));
        surest = Math.max(surest, confidence * share);
      }
      open *= 1 - surest;
    }
  }
  return [...found]
    .map(([moved, confidence]) => ({ path: moved, confidence }))
    .sort((a, b) => b.confidence - a.confidence);
}

function sum(moves: readonly LeadingMove[]): number {
  return moves.reduce((all, { confidence }) => all + confidence, 0);
}
