import type { Asked } from '../ask.js';
import { rankOf } from '../measures.js';

export interface Miss {
  input: string;
  wanted: string;
  /** The first answer; undefined when there was none. */
  answer: string | undefined;
  /** The score of the first answer; 0 when there was none. */
  score: number;
  /** The rank of the wanted page among the answers, from 1; 0 when it is not among them. */
  rank: number;
}

/** Wrong first answers, highest score first: in these the service had the most confidence. */
export function confidentMisses(searches: readonly Asked[], most: number): Miss[] {
  return allMisses(searches)
    .filter(({ answer }) => answer !== undefined)
    .sort((a, b) => b.score - a.score)
    .slice(0, most);
}

/** Wanted pages that are not among the first three answers: those that were not found at all, then the lowest. */
export function lowRanked(searches: readonly Asked[], most: number): Miss[] {
  const depth = (miss: Miss): number => (miss.rank === 0 ? Infinity : miss.rank);
  return allMisses(searches)
    .filter((miss) => depth(miss) > 3)
    .sort((a, b) => (depth(a) === depth(b) ? b.score - a.score : depth(b) - depth(a)))
    .slice(0, most);
}

function allMisses(searches: readonly Asked[]): Miss[] {
  return searches.flatMap(({ cases, answers }) =>
    cases.flatMap((testCase, i) => {
      const list = answers[i] ?? [];
      const rank = rankOf(testCase.right, list);
      const [first] = list;
      return rank === 1
        ? []
        : [
            {
              input: testCase.input,
              wanted: testCase.right[0] ?? '',
              answer: first?.url,
              score: first?.score ?? 0,
              rank,
            },
          ];
    }),
  );
}
