import { editDistance } from './words/edit-distance.js';

/** A name may differ by one edit for every three characters, up to this number. */
const MAX_EDITS = 2;

/**
 * The known name that a misspelt one probably means: the same but for case, `_`, `-` and `.`, or at most two edits
 * away. Of equally near names, the first.
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
