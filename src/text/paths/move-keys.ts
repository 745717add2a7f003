import { hashPlainPath, joinSegments, splitPath, type PlainPath } from './plain-path.js';

/** The keys for the look-up of a dead path's moves. `prefixes` and `tails` are parallel arrays. */
export interface MoveKeys {
  /** The path's own keys, the more exact first. */
  keys: readonly Buffer[];
  prefixes: readonly string[];
  tails: readonly string[];
}

export function moveKeys({ segments, query }: PlainPath): MoveKeys {
  const plain = joinSegments(segments);
  const splits = splitPath(segments);
  return {
    keys: [...(query === '' ? [] : [`${plain}?${query}`]), plain].map(hashPlainPath),
    prefixes: splits.map((one) => one.prefix),
    tails: splits.map((one) => one.tail),
  };
}
