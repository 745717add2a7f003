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

/** The measures that need no score. */
export type RankMeasures = Pick<Measures, 'n' | 'recall1' | 'recall3' | 'mrr'>;

/** The first answer to a case: its score, 0 when nothing was answered, and whether it is right. */
export interface Outcome {
  score: number;
  right: boolean;
}

/** 1-based rank of the first right answer; 0 when there is none. */
export function rankOf(right: readonly string[], answers: readonly { url: string }[]): number {
  return answers.findIndex(({ url }) => right.includes(url)) + 1;
}

/** From the rank of the right answer of each case, 0 for none. */
export function measureRanks(ranks: readonly number[]): RankMeasures {
  return {
    n: ranks.length,
    recall1: mean(ranks.map((rank) => Number(rank === 1))),
    recall3: mean(ranks.map((rank) => Number(rank >= 1 && rank <= 3))),
    mrr: mean(ranks.map((rank) => (rank === 0 ? 0 : 1 / rank))),
  };
}

export function measure(
  cases: readonly Case[],
  answers: readonly (readonly Suggested[])[],
  threshold: number,
): Measures {
  const outcomes = outcomesOf(cases, answers);
  const answered = outcomes.filter(({ score }) => score >= threshold);
  return {
    ...measureRanks(cases.map((testCase, i) => rankOf(testCase.right, answers[i] ?? []))),
    answered: cases.length === 0 ? 0 : answered.length / cases.length,
    precision1: mean(answered.map(({ right }) => Number(right))),
  };
}

export function outcomesOf(cases: readonly Case[], answers: readonly (readonly Suggested[])[]): Outcome[] {
  return cases.map((testCase, i) => ({
    score: answers[i]?.[0]?.score ?? 0,
    right: rankOf(testCase.right, answers[i] ?? []) === 1,
  }));
}

export interface ReliabilityBin {
  /** Scores from here on; the last bin holds 1, too. */
  from: number;
  to: number;
  n: number;
  /** Mean score of its answers; 0 when there are none. */
  score: number;
  /** Share of its answers that are right; 0 when there are none. */
  right: number;
}

export interface Reliability {
  n: number;
  /** Expected calibration error, 0 to 1: how far a score lies beside the share that is right, on average. */
  ece: number;
  bins: ReliabilityBin[];
}

const BINS = 10;

/**
 * Expected calibration error over ten bins of equal width: sum over bins b of n_b / n * |right_b - score_b|, where
 * right_b is the share of right answers of the bin and score_b their mean score (Naeini, Cooper, Hauskrecht 2015,
 * "Obtaining well calibrated probabilities using Bayesian binning"; Guo et al. 2017, "On calibration of modern neural
 * networks", equation 5). Cases without any answer have no score and are left out.
 */
export function reliabilityOf(outcomes: readonly Outcome[]): Reliability {
  const scored = outcomes.filter(({ score }) => score > 0);
  const bins = Array.from({ length: BINS }, (_, b): ReliabilityBin => {
    const inside = scored.filter(({ score }) => Math.min(BINS - 1, Math.floor(score * BINS)) === b);
    return {
      from: b / BINS,
      to: (b + 1) / BINS,
      n: inside.length,
      score: mean(inside.map(({ score }) => score)),
      right: mean(inside.map(({ right }) => Number(right))),
    };
  });
  const ece = bins.reduce((sum, bin) => sum + (bin.n / (scored.length || 1)) * Math.abs(bin.right - bin.score), 0);
  return { n: scored.length, ece, bins };
}

export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
