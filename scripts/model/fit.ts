import { scoreAlone, shareOdds, sharesOf, type ChoiceCurve, type LogisticCurve } from '#src/search/score.js';

/** Small convex fits, by gradient descent with Adam (Kingma and Ba 2015); deterministic. */

export interface Choice<Evidence> {
  weight: number;
  candidates: { evidence: Evidence; right: boolean }[];
}

function adam(start: readonly number[], steps: number, rate: number, gradient: (x: readonly number[]) => number[], project: (x: number[]) => void): number[] {
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
      x: Float64Array.from(candidates.flatMap((c) => names.map((name) => Number(c.evidence[name])))),
    }));
  const all = usable.reduce((sum, { weight }) => sum + weight, 0);
  const size = names.length;
  const RIDGE = 1e-4;
  const gradient = (w: readonly number[]): number[] => {
    const g = w.map((value) => 2 * RIDGE * value);
    for (const { weight, right, x } of usable) {
      const powers = softmaxPowers(x, w);
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
  const w = adam(names.map(() => 1), 300, 0.1, gradient, (x) => {
    for (let i = 0; i < x.length; i++) x[i] = Math.max(0, x[i] ?? 0);
  });
  return Object.fromEntries(names.map((name, i) => [name, Math.round((w[i] ?? 0) * 1000) / 1000])) as Record<keyof Evidence, number>;
}

/** exp of each row's weighted sum, less the greatest sum. */
function softmaxPowers(x: Float64Array, w: readonly number[]): Float64Array {
  const sums = new Float64Array(x.length / w.length);
  let most = -Infinity;
  for (let r = 0; r < sums.length; r++) {
    let sum = 0;
    for (let i = 0; i < w.length; i++) sum += (x[r * w.length + i] ?? 0) * (w[i] ?? 0);
    sums[r] = sum;
    most = Math.max(most, sum);
  }
  return sums.map((sum) => Math.exp(sum - most));
}

/** One judged candidate: a number that speaks for it, whether it was right, and how much it counts. */
export interface Outcome {
  x: number;
  /** Right or not, or a share. */
  y: number;
  weight: number;
}

/** A logistic curve through outcomes (Platt 1999), by logarithmic loss, with that loss. */
export function fitCurve(outcomes: readonly Outcome[]): LogisticCurve & { loss: number } {
  const total = outcomes.reduce((sum, one) => sum + one.weight, 0);
  const center = outcomes.reduce((sum, one) => sum + one.weight * one.x, 0) / total;
  const spread = Math.sqrt(outcomes.reduce((sum, one) => sum + one.weight * (one.x - center) ** 2, 0) / total) || 1;
  const gradient = ([slope = 0, intercept = 0]: readonly number[]): number[] => {
    const g = [2e-4 * slope, 0];
    for (const one of outcomes) {
      const z = (one.x - center) / spread;
      const error = (one.weight / total) * (scoreAlone({ slope, intercept }, z) - one.y);
      g[0] = (g[0] ?? 0) + error * z;
      g[1] = (g[1] ?? 0) + error;
    }
    return g;
  };
  const [slope = 1, intercept = 0] = adam([1, 0], 800, 0.05, gradient, (x) => {
    x[0] = Math.max(1e-3, x[0] ?? 0);
  });
  const loss = outcomes.reduce((sum, one) => {
    const p = Math.min(1 - 1e-9, Math.max(1e-9, scoreAlone({ slope, intercept }, (one.x - center) / spread)));
    return sum - (one.weight / total) * (one.y * Math.log(p) + (1 - one.y) * Math.log(1 - p));
  }, 0);
  const round = (value: number): number => Math.round(value * 10_000) / 10_000;
  return { slope: round(slope / spread), intercept: round(intercept - (slope * center) / spread), loss };
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
    const outcomes = searches.map(({ values, right, weight }) => ({ x: shareOdds(sharesOf(values, none)[0] ?? 0), y: Number(right), weight }));
    const curve = fitCurve(outcomes);
    if (!best || curve.loss < best.loss) best = { none, ...curve };
  }
  const { none = 0, slope = 1, intercept = 0 } = best ?? {};
  return { none, slope, intercept };
}
