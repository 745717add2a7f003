import { editDistance } from './words/edit-distance.js';

/** A name is meant for another within so many edits, if it is three times as long as that. */
const MAX_EDITS = 2;

/**
 * Which of the known names was meant by one that is none of them: the same but for case, `_`, `-` and `.`, or two edits
 * away at most. The first of equally near ones.
 */
export function nearestName(given: string, known: Iterable<string>): string | undefined {
  const plain = plainName(given);
  let best: string | undefined;
  let min = Math.min(MAX_EDITS, Math.floor(plain.length / 3)) + 1;
  for (const name of known) {
    const between = editDistance(plain, plainName(name));
    if (between < min) [best, min] = [name, between];
  }
  return best;
}

export function plainName(name: string): string {
  return name.toLowerCase().replace(/[_.-]/g, '');
}
