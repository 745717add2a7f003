import { countOf } from '../../../text/count-of.js';
import type { Weights } from './calibration.js';
import type { Correction, UnderstoodPath } from '../spelling/correct-spelling.js';
import type { RewrittenPage } from '../evidence/rewritten-pages.js';

/** The clicks of visitors on a page, of all of the path; or the path below which other visitors chose it. */
export type Choices = { clicks: number; of: number } | { below: string };

/** The reasons why a page was suggested. */
export interface Explanation {
  /** The path's words as searched for; absent for a query. */
  words?: string[];
  corrections?: Correction[];
  /** The rule that leads to the page, in plain words; absent if none does. */
  rule?: string;
  /** Visitors' choices, if they raised the score: it is the most that clicks may give, not how sure the page is. */
  chosen?: Choices;
  /** The reason why the score is the most that it may be: it is a bound, not how sure the page is. */
  bounded?: string;
  /** Facts that clearly lower the score of a guess, in plain words, the strongest first; absent if none does. */
  doubts?: string[];
  /** The reason why the path is proposed as gone (410), though this page is the nearest. The best page alone has it. */
  gone?: string;
  /** The way in which redirects of the site rewrite such a path, in plain words; absent if none does. */
  rewriting?: string;
  /** See {@link explainAmong}; largest first. */
  evidence: Record<string, number>;
}

/** Describes what holds a score down, as one `but …`; the list is empty if nothing does. */
export function describeBut({ bounded, doubts = [] }: Pick<Explanation, 'bounded' | 'doubts'>): string[] {
  const all = [...(bounded === undefined ? [] : [bounded]), ...doubts];
  return all.length === 0 ? [] : [`but ${all.join('; ')}`];
}

/** The part that each kind of evidence adds to a page's sum. */
export type Parts = ReadonlyMap<string, number>;

/** Splits a page's sum into parts. `moved`: what redirects add. Each `…IfFar` is one part with its usual weight. */
export function partsOf<Evidence extends object>(weights: Weights<Evidence>, evidence: Evidence, moved = 0) {
  const parts = new Map<string, number>([['moved', moved]]);
  for (const name of Object.keys(weights) as (keyof Evidence & string)[]) {
    const part = name.replace(/IfFar$/u, '');
    parts.set(part, (parts.get(part) ?? 0) + weights[name] * Number(evidence[name]));
  }
  return parts;
}

/**
 * Explains what moved a page up among the candidates of its search: what each kind of evidence adds to its sum beyond
 * the mean of all candidates (the Shapley values of a weighted sum: Lundberg and Lee 2017), as shares that add up to 1.
 * What lowers it is left out, and so is what all have, such as the language. Of a single candidate all evidence counts.
 */
export function explainAmong(candidates: () => readonly Parts[]): (at: number) => Record<string, number> {
  let all: readonly Parts[] | undefined;
  const means = new Map<string, number>();
  return (at) => {
    if (all === undefined) {
      all = candidates();
      for (const parts of all)
        for (const [name, part] of parts) means.set(name, (means.get(name) ?? 0) + part / all.length);
    }
    const parts = all[at] ?? new Map<string, number>();
    const raised = toShares([...parts].map(([name, part]) => [name, part - (means.get(name) ?? 0)]));
    return raised ?? toShares([...parts]) ?? {};
  };
}

/** Smaller differences are rounding. */
const MIN_PART = 1e-9;

function toShares(parts: readonly (readonly [string, number])[]): Record<string, number> | undefined {
  const raising = parts.filter(([, part]) => part > MIN_PART);
  const total = raising.reduce((sum, [, part]) => sum + part, 0);
  if (total === 0) return undefined;
  const shares = raising
    .map(([name, part]) => [name, Math.round((part / total) * 1000) / 1000] as const)
    .filter(([, share]) => share > 0)
    .sort(([, a], [, b]) => b - a);
  return Object.fromEntries(shares);
}

/** Makes an {@link Explanation} of the evidence, the words of the path and the rewriting by redirects. */
export function explain(
  evidence: Record<string, number>,
  understood?: UnderstoodPath,
  rewritten?: RewrittenPage,
): Explanation {
  return {
    ...(understood === undefined ? {} : { words: understood.words.words, corrections: understood.corrections }),
    ...(rewritten === undefined ? {} : { rewriting: describe(rewritten) }),
    evidence,
  };
}

function describe({ example, support, contradictions }: RewrittenPage): string {
  const against = contradictions === 0 ? 'none contradicts it' : `${contradictions} contradict it`;
  return `the path is rewritten as in ${countOf(support, 'redirect')}, such as ${example.oldPath} to ${example.path}; ${against}`;
}
