import { slips } from './words/edit-distance.js';

/** A name is meant for another within so many slips, if it is three times as long as that. */
const MAX_SLIPS = 2;

/**
 * Which of the known names was meant by one that is none of them: the same but for case, `_`, `-` and `.`, or two slips
 * away at most. The first of equally near ones.
 */
export function nearestName(given: string, known: Iterable<string>): string | undefined {
  const plain = plainName(given);
  let best: string | undefined;
  let min = Math.min(MAX_SLIPS, Math.floor(plain.length / 3)) + 1;
  for (const name of known) {
    const between = slips(plain, plainName(name));
    if (between < min) [best, min] = [name, between];
  }
  return best;
}

export function plainName(name: string): string {
  return name.toLowerCase().replace(/[_.-]/g, '');
}
