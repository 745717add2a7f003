/** A name is meant for another within so many slips, if it is three times as long as that. */
const MOST_SLIPS = 2;

/**
 * Which of the known names was meant by one that is none of them: the same but for case, `_`, `-` and `.`, or two slips
 * away at most. The first of equally near ones.
 */
export function nearestName(given: string, known: Iterable<string>): string | undefined {
  const plain = plainName(given);
  let best: string | undefined;
  let fewest = Math.min(MOST_SLIPS, Math.floor(plain.length / 3)) + 1;
  for (const name of known) {
    const slips = slipsBetween(plain, plainName(name), fewest);
    if (slips < fewest) [best, fewest] = [name, slips];
  }
  return best;
}

export function plainName(name: string): string {
  return name.toLowerCase().replace(/[_.-]/g, '');
}

/** Letters put in, left out, changed or swapped with the next one; `most` when there are that many or more. */
export function slipsBetween(left: string, right: string, most: number): number {
  if (Math.abs(left.length - right.length) >= most) return most;
  let before: number[] = [];
  let row = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const same = left[i - 1] === right[j - 1];
      let slips = Math.min((row[j - 1] ?? 0) + (same ? 0 : 1), (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1);
      if (i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1]) slips = Math.min(slips, (before[j - 2] ?? 0) + 1);
      next.push(slips);
    }
    [before, row] = [row, next];
  }
  return Math.min(most, row[right.length] ?? most);
}
