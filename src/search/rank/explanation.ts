import type { Weights } from './calibration.js';
import type { Correction } from '../spelling/spelling.js';
import type { UnderstoodPath } from '../spelling/understand-path.js';

/** Why a page was suggested. */
export interface Explanation {
  /** The path's words as they were searched for; absent for a query, which is taken as it is. */
  words?: string[];
  /** What spelling changed. */
  corrections?: Correction[];
  /** The share of each kind of evidence in the page's rank, largest first; they add up to 1. None: an empty object. */
  evidence: Record<string, number>;
}

/**
 * The weighted evidence of one page as shares, with what was understood of the path. `moved`: what its moves add to its
 * sum.
 */
export function explain<Evidence extends object>(
  understood: UnderstoodPath | undefined,
  weights: Weights<Evidence>,
  evidence: Evidence,
  moved = 0,
): Explanation {
  const parts = (Object.keys(weights) as (keyof Evidence & string)[]).map((name): [string, number] => [
    name,
    weights[name] * Number(evidence[name]),
  ]);
  parts.push(['moved', moved]);
  const total = parts.reduce((sum, [, value]) => sum + value, 0);
  const shares = parts
    .filter(([, value]) => value > 0)
    .map(([name, value]): [string, number] => [name, Math.round((value / total) * 1000) / 1000])
    .filter(([, share]) => share > 0)
    .sort(([, a], [, b]) => b - a);
  return {
    ...(understood === undefined ? {} : { words: understood.words.words, corrections: understood.corrections }),
    evidence: Object.fromEntries(shares),
  };
}
