import type { SectionMove } from './moved-sections.js';
import { joinSegments, plainPath, splitsOf } from './plain-path.js';

/**
 * Where section moves send a dead path, best first. Only one of several answers can be right, so the longest old prefix
 * comes first, and what shorter ones say counts for as much as it leaves open: times 1 - its confidence.
 */
export function movedPaths(
  path: string,
  moves: readonly Pick<SectionMove, 'oldPrefix' | 'newPrefix' | 'confidence'>[],
): { path: string; confidence: number }[] {
  const { segments } = plainPath(path);
  const own = joinSegments(segments);
  const found = new Map<string, number>();
  let open = 1;
  for (const { prefix, tail } of splitsOf(segments)) {
    let surest = 0;
    for (const { newPrefix, confidence } of moves.filter((move) => move.oldPrefix === prefix)) {
      const moved = newPrefix + tail;
      if (moved === own) continue;
      found.set(moved, Math.max(found.get(moved) ?? 0, confidence * open));
      surest = Math.max(surest, confidence);
    }
    open *= 1 - surest;
  }
  return [...found].map(([moved, confidence]) => ({ path: moved, confidence })).sort((a, b) => b.confidence - a.confidence);
}
