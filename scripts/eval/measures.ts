import type { Case } from './site-data.js';

export interface Suggested {
  url: string;
  score: number;
}

export interface Measures {
  n: number;
  recall1: number;
  recall3: number;
  /** Mean reciprocal rank within the answers asked for. */
  mrr: number;
  /** Share of cases with an answer at the default threshold. */
  answered: number;
  /** Share of those whose first answer is right. */
  precision1: number;
}

/** 1-based rank of the first right answer; 0 when there is none. */
export function rankOf(right: readonly string[], answers: readonly { url: string }[]): number {
  return answers.findIndex(({ url }) => right.includes(url)) + 1;
}

export function measure(cases: readonly Case[], answers: readonly (readonly Suggested[])[], threshold: number): Measures {
  const ranks = cases.map((one, i) => rankOf(one.right, answers[i] ?? []));
  const answered = answers.flatMap((list, i) => ((list[0]?.score ?? 0) >= threshold ? [ranks[i] === 1 ? 1 : 0] : []));
  return {
    n: cases.length,
    recall1: mean(ranks.map((rank) => Number(rank === 1))),
    recall3: mean(ranks.map((rank) => Number(rank >= 1 && rank <= 3))),
    mrr: mean(ranks.map((rank) => (rank === 0 ? 0 : 1 / rank))),
    answered: cases.length === 0 ? 0 : answered.length / cases.length,
    precision1: mean(answered),
  };
}

export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
