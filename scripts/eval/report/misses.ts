import type { Asked } from '../ask.js';
import { rankOf } from '../measures.js';

export interface Miss {
  input: string;
  wanted: string;
  /** The first answer; undefined when there was none. */
  given: string | undefined;
  /** The score of the first answer; 0 when there was none. */
  score: number;
  /** The rank of the wanted page among the answers, from 1; 0 when it is not among them. */
  rank: number;
}

/** Wrong first answers, highest score first: in these the service had the most confidence. */
export function confidentMisses(asked: readonly Asked[], most: number): Miss[] {
  return allMisses(asked)
    .filter(({ given }) => given !== undefined)
    .sort((a, b) => b.score - a.score)
    .slice(0, most);
}

/** Wanted pages that are not among the first three answers: those that were not found at all, then the lowest. */
export function lowRanked(asked: readonly Asked[], most: number): Miss[] {
  const depth = (miss: Miss): number => (miss.rank === 0 ? Infinity : miss.rank);
  return allMisses(asked)
    .filter((miss) => depth(miss) > 3)
    .sort((a, b) => (depth(a) === depth(b) ? b.score - a.score : depth(b) - depth(a)))
    .slice(0, most);
}

function allMisses(asked: readonly Asked[]): Miss[] {
  return asked.flatMap(({ cases, answers }) =>
    cases.flatMap((one, i) => {
      const list = answers[i] ?? [];
      const rank = rankOf(one.right, list);
      const [first] = list;
      return rank === 1
        ? []
        : [{ input: one.input, wanted: one.right[0] ?? '', given: first?.url, score: first?.score ?? 0, rank }];
    }),
  );
}
