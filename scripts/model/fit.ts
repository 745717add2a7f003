import type { ChoiceCurve } from '#src/search/rank/calibration.js';
import { logOdds, sharesOf } from '#src/search/rank/score.js';

/** Small convex fits, by gradient descent with Adam (Kingma and Ba 2015); deterministic. */

export interface Choice<Evidence> {
  weight: number;
  /** `base`: what is added to the weighted sum. */
  candidates: { evidence: Evidence; right: boolean; base?: number }[];
}

function adam(
  start: readonly number[],
  steps: number,
  rate: number,
  gradient: (x: readonly number[]) => number[],
  project: (x: number[]) => void,
): number[] {
  const x = [...start];
  const m = x.map(() => 0);
  const v = x.map(() => 0);
  for (let step = 1; step <= steps; step++) {
    const g = gradient(x);
    const scaled = (rate * Math.sqrt(1 - 0.999 ** step)) / (1 - 0.9 ** step);
    for (let i = 0; i < x.length; i++) {
      const gi = g[i] ?? 0;
      m[i] = 0.9 * (m[i] ?? 0) + 0.1 * gi;
      v[i] = 0.999 * (v[i] ?? 0) + 0.001 * gi * gi;
      x[i] = (x[i] ?? 0) - (scaled * (m[i] ?? 0)) / (Math.sqrt(v[i] ?? 0) + 1e-8);
    }
    project(x);
  }
  return x;
}

/**
 * Conditional logit (McFadden 1974): weights under which the right candidate is chosen among those of its search, as
 * a softmax of the weighted sum. Weights stay at or above 0, so that more evidence never ranks lower; a little ridge
 * keeps what the data does not decide small. Searches without a right candidate say nothing here.
 */
export function fitChoice<Evidence extends object>(
  choices: readonly Choice<Evidence>[],
  names: readonly (keyof Evidence)[],
): Record<keyof Evidence, number> {
  const usable = choices
    .filter((choice) => choice.candidates.some((c) => c.right) && choice.candidates.some((c) => !c.right))
    .map(({ weight, candidates }) => ({
      weight,
      right: candidates.map((c) => c.right),
      base: candidates.map((c) => c.base ?? 0),
      x: Float64Array.from(candidates.flatMap((c) => names.map((name) => Number(c.evidence[name])))),
    }));
  const all = usable.reduce((sum, { weight }) => sum + weight, 0);
  const size = names.length;
  const RIDGE = 1e-4;
  const gradient = (w: readonly number[]): number[] => {
    const g = w.map((value) => 2 * RIDGE * value);
    for (const { weight, right, base, x } of usable) {
      const powers = softmaxPowers(x, w, base);
      let total = 0;
      let totalRight = 0;
      for (let r = 0; r < right.length; r++) {
        total += powers[r] ?? 0;
        if (right[r]) totalRight += powers[r] ?? 0;
      }
      for (let r = 0; r < right.length; r++) {
        const power = powers[r] ?? 0;
        const pull = (weight / all) * (power / total - (right[r] ? power / totalRight : 0));
        if (pull !== 0) for (let i = 0; i < size; i++) g[i] = (g[i] ?? 0) + pull * (x[r * size + i] ?? 0);
      }
    }
    return g;
  };
  const w = adam(
    names.map(() => 1),
    300,
    0.1,
    gradient,
    (x) => {
      for (let i = 0; i < x.length; i++) x[i] = Math.max(0, x[i] ?? 0);
    },
  );
  return Object.fromEntries(names.map((name, i) => [name, Math.round((w[i] ?? 0) * 1000) / 1000])) as Record<
    keyof Evidence,
    number
  >;
}

/** exp of each row's weighted sum and base, less the greatest. */
function softmaxPowers(x: Float64Array, w: readonly number[], base: readonly number[]): Float64Array {
  const sums = new Float64Array(x.length / w.length);
  let most = -Infinity;
  for (let r = 0; r < sums.length; r++) {
    let sum = base[r] ?? 0;
    for (let i = 0; i < w.length; i++) sum += (x[r * w.length + i] ?? 0) * (w[i] ?? 0);
    sums[r] = sum;
    most = Math.max(most, sum);
  }
  return sums.map((sum) => Math.exp(sum - most));
}

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

/** What "none of them" weighs beside the candidates, and the curve through the best one's share: the best of a grid. */
export function fitChoiceCurve(searches: readonly Judged[]): ChoiceCurve {
  let best: (ChoiceCurve & { loss: number }) | undefined;
  for (let none = 6; none <= 20; none += 0.5) {
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
