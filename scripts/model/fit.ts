import {
  UNCALIBRATED,
  type ChoiceCurve,
  type QuestionCurve,
  type Weights,
} from '#src/search/ranking/scores/calibration.js';
import type { CertaintyFacts } from '#src/search/ranking/evidence/certainty-facts.js';
import {
  bestShare,
  leadOf,
  logOdds,
  logShare,
  rankValue,
  redirectsValue,
  sharesOf,
  type BestPage,
} from '#src/search/ranking/scores/score.js';

/** Small convex fits of curves; deterministic. Weights are fitted in fit-choice-model.ts. */

/** One judged answer: what speaks for it, each to be weighed, whether it was right, and how much it counts. */
export interface Outcome {
  x: readonly number[];
  /** 1 for right, 0 for wrong, or a share. */
  y: number;
  weight: number;
}

const logistic = (z: number): number => 1 / (1 + Math.exp(-z));

/** Scales each number to the mean 0 and the variance 1. */
function scale(outcomes: readonly Outcome[]): {
  total: number;
  moments: { center: number; spread: number }[];
  outcomes: Outcome[];
} {
  const total = outcomes.reduce((sum, outcome) => sum + outcome.weight, 0);
  const moments = Array.from({ length: outcomes[0]?.x.length ?? 0 }, (_, i) => {
    const center = outcomes.reduce((sum, outcome) => sum + outcome.weight * (outcome.x[i] ?? 0), 0) / total;
    const variance =
      outcomes.reduce((sum, outcome) => sum + outcome.weight * ((outcome.x[i] ?? 0) - center) ** 2, 0) / total;
    return { center, spread: Math.sqrt(variance) || 1 };
  });
  const scaled = outcomes.map(({ x, y, weight }) => ({
    x: x.map((value, i) => (value - (moments[i]?.center ?? 0)) / (moments[i]?.spread ?? 1)),
    y,
    weight,
  }));
  return { total, moments, outcomes: scaled };
}

/** Sums of evidence of the candidates of one search, the best first, the facts of the best, and whether it is right. */
export interface Judged {
  values: readonly number[];
  facts: CertaintyFacts;
  right: boolean;
  weight: number;
}

/** Sums are large where no cosine of a model is below .7, as those of e5. */
const MAX_NONE = 45;

export const FACTS = Object.keys(UNCALIBRATED.suggest.score.facts) as (keyof CertaintyFacts)[];

/**
 * Fits the weight of "none of them" against the candidates, and how the best candidate's share and facts tell whether
 * it is right: the best of a grid.
 */
export function fitChoiceCurve(searches: readonly Judged[]): Omit<ChoiceCurve, 'points'> {
  if (searches.length === 0) return UNCALIBRATED.suggest.score;
  let best: (Omit<ChoiceCurve, 'points'> & { loss: number }) | undefined;
  for (let none = 6; none <= MAX_NONE; none += 2) {
    const outcomes = searches.map(({ values, facts, right, weight }) => ({
      x: [logOdds(sharesOf(values, none)[0] ?? 0), ...FACTS.map((name) => facts[name])],
      y: Number(right),
      weight,
    }));
    const { weights, intercept, loss } = fitRidge(outcomes);
    if (best && loss >= best.loss) continue;
    const facts = Object.fromEntries(FACTS.map((name, i) => [name, weights[i + 1] ?? 0]));
    best = { none, slope: weights[0] ?? 1, intercept, facts: facts as Weights<CertaintyFacts>, loss };
  }
  const { none = 0, slope = 1, intercept = 0, facts = UNCALIBRATED.suggest.score.facts } = best ?? {};
  return { none, slope, intercept, facts };
}

/** The ridge's strength, in cases: a weight that few cases show stays small. */
const RIDGE = 10;
/** Newton's method doubles the number of right digits with each step. */
const STEPS = 8;

/** Logistic regression with a ridge on scaled weights of any sign, by Newton's method, and its loss. */
export function fitRidge(outcomes: readonly Outcome[]): { weights: number[]; intercept: number; loss: number } {
  const size = outcomes[0]?.x.length ?? 0;
  const scaled = scale(outcomes);
  const share = outcomes.length / scaled.total;
  let b = Array<number>(size + 1).fill(0);
  let loss = 0;
  for (let step = 0; step < STEPS; step++) {
    const gradient = b.map((value, i) => (i < size ? RIDGE * value : 0));
    const hessian = b.map((_, i) => b.map((_, j) => (i === j ? (i < size ? RIDGE : 1e-9) : 0)));
    loss = 0;
    for (const { x, y, weight } of scaled.outcomes) {
      const p = logistic(x.reduce((sum, value, i) => sum + value * (b[i] ?? 0), b[size] ?? 0));
      const w = weight * share;
      loss -= w * Math.log(Math.max(1e-9, y === 1 ? p : 1 - p));
      const row = [...x, 1];
      for (let i = 0; i <= size; i++) {
        gradient[i] = (gradient[i] ?? 0) + w * (p - y) * (row[i] ?? 0);
        const into = hessian[i] as number[];
        for (let j = 0; j <= size; j++) into[j] = (into[j] ?? 0) + w * p * (1 - p) * (row[i] ?? 0) * (row[j] ?? 0);
      }
    }
    const move = solve(hessian, gradient);
    b = b.map((value, i) => value - (move[i] ?? 0));
  }
  const round = (value: number): number => Math.round(value * 1_000) / 1_000;
  const weights = scaled.moments.map(({ spread }, i) => (b[i] ?? 0) / spread);
  const intercept = scaled.moments.reduce((sum, { center }, i) => sum - center * (weights[i] ?? 0), b[size] ?? 0);
  return { weights: weights.map(round), intercept: round(intercept), loss: loss / outcomes.length };
}

/** Solves a system of linear equations by Gauss's elimination. The matrix is positive definite, so no pivot is 0. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const rows = matrix.map((row, i) => [...row, right[i] ?? 0]);
  for (const [i, row] of rows.entries()) {
    for (const [j, other] of rows.entries()) {
      if (i === j) continue;
      const factor = (other[i] ?? 0) / (row[i] ?? 1);
      for (let k = i; k < other.length; k++) other[k] = (other[k] ?? 0) - factor * (row[k] ?? 0);
    }
  }
  return rows.map((row, i) => (row.at(-1) ?? 0) / (row[i] ?? 1));
}

/** A question that is judged: whether the best page is right. */
export interface JudgedQuestion {
  /** Sums of evidence, the best first. */
  values: readonly number[];
  /** See {@link QuestionCurve}. */
  page: BestPage;
  right: boolean;
  weight: number;
}

/**
 * Curves whose losses differ by less fit as well. The one with the most for "none" is taken: it is careful with few
 * pages.
 */
const AS_GOOD = 3e-4;

/** The curve of questions, without its points: the best of a grid of what "none of them" weighs. */
export function fitQuestionCurve(questions: readonly JudgedQuestion[]): Omit<QuestionCurve, 'points'> {
  const curves = Array.from({ length: MAX_NONE / 3 + 1 }, (_, at) => {
    const none = 3 * at;
    const outcomes = questions.map(({ values, page, right, weight }) => ({
      x: [logShare(bestShare(values, none)), page.dense, page.lexical, leadOf(values, none)],
      y: Number(right),
      weight,
    }));
    const { weights, intercept, loss } = fitRidge(outcomes);
    const [slope = 0, dense = 0, lexical = 0, lead = 0] = weights;
    return { curve: { none, slope, dense, lexical, lead, intercept }, loss };
  });
  const least = Math.min(...curves.map(({ loss }) => loss));
  const good = curves.filter(({ loss }) => loss <= least + AS_GOOD).at(-1);
  return good?.curve ?? UNCALIBRATED.query.score;
}

/** Computes what moves add to the sum, in which no weight is fitted. */
export function weighMoves(evidence: object): number {
  const moved = 'moved' in evidence ? Number(evidence.moved) : 0;
  return redirectsValue(moved, moved);
}

/** Computes what orders candidates in a search. */
export function weighEvidence<E extends object>(weights: Weights<E>, evidence: E): number {
  return rankValue(weights, evidence) + weighMoves(evidence);
}
