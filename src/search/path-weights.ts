import type { PathEvidence } from './path-evidence.js';

/**
 * A monotone sum of the path evidence, for ranking by paths alone: no weight is negative, so more evidence never lowers
 * a page. Fitted as a softmax over each path's candidates (its probability that the right page is chosen), redirects
 * weighted twice as much as typos, every site alike. `deadInLive` adds nothing to the others and fitted to 0.
 *
 * Recall@1/@3 over all pages of nine sites, macro-averaged, spelling corrected against each site's vocabulary:
 *
 * |                             | redirects   | typos       |
 * |-----------------------------|-------------|-------------|
 * | words                       | .714 / .799 | .899 / .929 |
 * | pathTrigrams                | .695 / .764 | .990 / .998 |
 * | slugTrigrams                | .704 / .768 | .912 / .963 |
 * | this sum                    | .775 / .827 | .990 / .999 |
 * | fitted without the site     | .772 / .825 | .989 / .999 |
 * | this sum, no spelling       | .775 / .827 | .986 / .998 |
 */
export const PATH_WEIGHTS: Readonly<Record<keyof PathEvidence, number>> = {
  words: 3.4,
  deadInLive: 0,
  liveInDead: 1.8,
  slugWords: 0.7,
  pathTrigrams: 2.2,
  slugTrigrams: 2.7,
  slugEdit: 1.3,
  prefix: 2.8,
  depth: 1.7,
  numbers: 2.4,
};

/** The evidence as one number, 0 to 1: a value to rank by, not a probability. */
export function sumPathEvidence(evidence: PathEvidence): number {
  let sum = 0;
  let most = 0;
  for (const [name, weight] of Object.entries(PATH_WEIGHTS) as [keyof PathEvidence, number][]) {
    sum += weight * evidence[name];
    most += weight;
  }
  return sum / most;
}
