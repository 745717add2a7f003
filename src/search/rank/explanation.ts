import type { Weights } from './calibration.js';
import type { Correction } from '../spelling/spelling.js';
import type { RewrittenPage } from '../evidence/rewritten-pages.js';
import type { UnderstoodPath } from '../spelling/understand-path.js';

/** Why a page was suggested. */
export interface Explanation {
  /** The path's words as searched for; absent for a query. */
  words?: string[];
  corrections?: Correction[];
  /** The rule that leads to the page, in plain words; absent if none does. */
  rule?: string;
  /** How redirects of the site rewrite such a path, in plain words; absent if none does. */
  rewriting?: string;
  /** The share of each kind of evidence in the weighted sum, largest first; they add up to 1. */
  evidence: Record<string, number>;
}

/**
 * Explains a page's score by the shares of its weighted evidence. `moved`: what moves add to the sum.
 */
export function explain<Evidence extends object>(
  understood: UnderstoodPath | undefined,
  weights: Weights<Evidence>,
  evidence: Evidence,
  moved = 0,
  rewritten?: RewrittenPage,
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
    ...(rewritten === undefined ? {} : { rewriting: describe(rewritten) }),
    evidence: Object.fromEntries(shares),
  };
}

function describe({ example, support, contradictions }: RewrittenPage): string {
  return `Rewritten as ${example.oldPath} was to ${example.path}; redirects that show this: ${support}, that contradict it: ${contradictions}.`;
}
