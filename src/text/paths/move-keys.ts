import { hashPlainPath, joinSegments, maskNumbers, splitPath, type PlainPath } from './plain-path.js';

/** The keys for the look-up of a dead path's moves. `prefixes` and `tails` are parallel arrays. */
export interface MoveKeys {
  /** The path's own keys, the more exact first. */
  keys: readonly Buffer[];
  /** The whole path, as it is and with `#` for each number: a wildcard holds for its folder, too. Of empty tails. */
  whole: readonly string[];
  /** Longest first, the whole path too. */
  prefixes: readonly string[];
  tails: readonly string[];
}

export function moveKeys({ segments, query }: PlainPath): MoveKeys {
  const plain = joinSegments(segments);
  const whole = [...new Set([plain, maskNumbers(segments)])];
  const splits = [...whole.map((prefix) => ({ prefix, tail: '' })), ...splitPath(segments)];
  return {
    keys: [...(query === '' ? [] : [`${plain}?${query}`]), plain].map(hashPlainPath),
    whole,
    prefixes: splits.map((one) => one.prefix),
    tails: splits.map((one) => one.tail),
  };
}
