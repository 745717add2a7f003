import type { ChoiceCurve, QuestionCurve, Weights } from '#src/search/ranking/scores/calibration.js';
import { adam } from './fit-choice-model.js';
import { logOdds, logShare, rankValue, redirectsValue, sharesOf } from '#src/search/ranking/scores/score.js';

/** Small convex fits of curves; deterministic. Weights are fitted in fit-choice-model.ts. */

/** One judged answer: what speaks for it, each to be weighed, whether it was right, and how much it counts. */
export interface Outcome {
  x: readonly number[];
  /** Right or not, or a share. */
  y: number;
  weight: number;
}

const logistic = (z: number): number => 1 / (1 + Math.exp(-z));

/** Logistic regression by logarithmic loss, with weights at or above 0 (of one number: Platt 1999), and its loss. */
export function fitLogistic(outcomes: readonly Outcome[]): { weights: number[]; intercept: number; loss: number } {
  const size = outcomes[0]?.x.length ?? 0;
  const total = outcomes.reduce((sum, one) => sum + one.weight, 0);
  const moments = Array.from({ length: size }, (_, i) => {
    const center = outcomes.reduce((sum, one) => sum + one.weight * (one.x[i] ?? 0), 0) / total;
    const variance = outcomes.reduce((sum, one) => sum + one.weight * ((one.x[i] ?? 0) - center) ** 2, 0) / total;
    return { center, spread: Math.sqrt(variance) || 1 };
  });
  const scaled = outcomes.map(({ x, y, weight }) => ({
    x: x.map((value, i) => (value - (moments[i]?.center ?? 0)) / (moments[i]?.spread ?? 1)),
    y,
    weight,
  }));
  const sumOf = (b: readonly number[], x: readonly number[]): number =>
    x.reduce((sum, value, i) => sum + value * (b[i] ?? 0), b[size] ?? 0);
  const gradient = (b: readonly number[]): number[] => {
    const g = b.map((value, i) => (i < size ? 2e-4 * value : 0));
    for (const { x, y, weight } of scaled) {
      const error = (weight / total) * (logistic(sumOf(b, x)) - y);
      for (let i = 0; i < size; i++) g[i] = (g[i] ?? 0) + error * (x[i] ?? 0);
      g[size] = (g[size] ?? 0) + error;
    }
    return g;
  };
  const b = adam([...moments.map(() => 1), 0], 800, 0.05, gradient, (x) => {
    for (let i = 0; i < size; i++) x[i] = Math.max(0, x[i] ?? 0);
  });
  const loss = scaled.reduce((sum, { x, y, weight }) => {
    const p = Math.min(1 - 1e-9, Math.max(1e-9, logistic(sumOf(b, x))));
    return sum - (weight / total) * (y * Math.log(p) + (1 - y) * Math.log(1 - p));
  }, 0);
  const round = (value: number): number => Math.round(value * 10_000) / 10_000;
  const weights = moments.map(({ spread }, i) => (b[i] ?? 0) / spread);
  const intercept = (b[size] ?? 0) - moments.reduce((sum, { center }, i) => sum + center * (weights[i] ?? 0), 0);
  return { weights: weights.map(round), intercept: round(intercept), loss };
}

/** Sums of evidence of the candidates of one search, the best first, and whether the best is right. */
export interface Judged {
  values: readonly number[];
  right: boolean;
  weight: number;
}

/** Sums are large where no cosine of a model is below .7, as those of e5. */
const MAX_NONE = 45;

/** What "none of them" weighs beside the candidates, and the curve through the best one's share: the best of a grid. */
export function fitChoiceCurve(searches: readonly Judged[]): ChoiceCurve {
  let best: (ChoiceCurve & { loss: number }) | undefined;
  for (let none = 6; none <= MAX_NONE; none += 0.5) {
    const outcomes = searches.map(({ values, right, weight }) => ({
      x: [logOdds(sharesOf(values, none)[0] ?? 0)],
      y: Number(right),
      weight,
    }));
    const {
      weights: [slope = 1],
      intercept,
      loss,
    } = fitLogistic(outcomes);
    if (!best || loss < best.loss) best = { none, slope, intercept, loss };
  }
  const { none = 0, slope = 1, intercept = 0 } = best ?? {};
  return { none, slope, intercept };
}

/** A question that is judged: whether a right page is among the first three. */
export interface JudgedQuestion {
  /** Sums of evidence, the best first. */
  values: readonly number[];
  /** See {@link QuestionCurve}. */
  cosine: number;
  y: number;
  weight: number;
}

/** Of curves that fit as well within this, the one with the most for "none" is taken: it is careful with few pages. */
const AS_GOOD = 3e-4;

/** The curve of questions: the best of a grid of what "none of them" weighs. */
export function fitQuestionCurve(questions: readonly JudgedQuestion[]): QuestionCurve {
  const curves = Array.from({ length: MAX_NONE + 1 }, (_, none) => {
    const outcomes = questions.map(({ values, cosine, y, weight }) => ({
      x: [logShare(sharesOf(values, none)[0] ?? 0), cosine],
      y,
      weight,
    }));
    const {
      weights: [slope = 1, dense = 0],
      intercept,
      loss,
    } = fitLogistic(outcomes);
    return { curve: { none, slope, dense, intercept }, loss };
  });
  const least = Math.min(...curves.map(({ loss }) => loss));
  const good = curves.filter(({ loss }) => loss <= least + AS_GOOD).at(-1);
  return good?.curve ?? { none: 0, slope: 1, dense: 0, intercept: 0 };
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
