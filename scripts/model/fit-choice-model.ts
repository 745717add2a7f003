import type { Weights } from '#src/search/ranking/scores/calibration.js';

/** One search: its candidates, which of them are right, and how much it counts. */
export interface Choice<Evidence> {
  weight: number;
  /** `base`: what is added to the weighted sum. */
  candidates: readonly { evidence: Evidence; right: boolean; base?: number }[];
}

/** Weights to which a fit is pulled, and where it begins. */
export interface Prior<Evidence> {
  weights: Weights<Evidence>;
  /** Times the squared distance: what it adds to the mean loss. */
  strength: number;
  start: Weights<Evidence>;
  steps: number;
}

/** Gradient descent with Adam (Kingma and Ba 2015); deterministic. */
export function adam(
  start: readonly number[],
  steps: number,
  rate: number,
  gradient: (x: readonly number[]) => ArrayLike<number>,
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
 * a softmax of the weighted sum. Weights stay at or above 0, so that more evidence never ranks lower. Searches without
 * a right candidate say nothing here.
 */
export function fitChoice<Evidence extends object>(
  choices: readonly Choice<Evidence>[],
  names: readonly (keyof Evidence)[],
  { weights: center, strength, start, steps }: Prior<Evidence>,
): Weights<Evidence> {
  const usable = choices
    .filter((choice) => choice.candidates.some((c) => c.right) && choice.candidates.some((c) => !c.right))
    .map(({ weight, candidates }) => ({
      weight,
      right: candidates.map((c) => c.right),
      base: Float64Array.from(candidates, (c) => c.base ?? 0),
      rows: readRows(
        candidates.map(({ evidence }) => evidence),
        names,
      ),
    }));
  const all = usable.reduce((sum, { weight }) => sum + weight, 0);
  const gradient = (w: readonly number[]): Float64Array => {
    const g = Float64Array.from(names, (name, i) => 2 * strength * ((w[i] ?? 0) - center[name]));
    for (const { weight, right, base, rows } of usable) {
      const { begins, columns, values } = rows;
      const powers = softmaxPowers(rows, w, base);
      let total = 0;
      let totalRight = 0;
      for (let r = 0; r < right.length; r++) {
        total += powers[r] ?? 0;
        if (right[r]) totalRight += powers[r] ?? 0;
      }
      // The right one may be so far behind that its power is 0; its share of the right ones is 0 / 0 then.
      if (totalRight === 0) totalRight = Number.MIN_VALUE;
      for (let r = 0; r < right.length; r++) {
        const power = powers[r] ?? 0;
        const pull = (weight / all) * (power / total - (right[r] ? power / totalRight : 0));
        if (pull === 0) continue;
        const end = begins[r + 1] ?? 0;
        for (let at = begins[r] ?? 0; at < end; at++) {
          const i = columns[at] ?? 0;
          g[i] = (g[i] ?? 0) + pull * (values[at] ?? 0);
        }
      }
    }
    return g;
  };
  const from = names.map((name) => start[name]);
  // Without anything to learn from, no step is taken.
  const w = adam(from, usable.length === 0 ? 0 : steps, 0.1, gradient, (x) => {
    for (let i = 0; i < x.length; i++) x[i] = Math.max(0, x[i] ?? 0);
  });
  const rounded = names.map((name, i) => [name, Math.round((w[i] ?? 0) * 1000) / 1000] as const);
  return Object.fromEntries(rounded) as Weights<Evidence>;
}

/** A matrix without its zeros (compressed sparse rows): most candidates have little evidence. */
interface Rows {
  /** The place of each row's first value, and the end of the last row. */
  begins: Int32Array;
  columns: Int32Array;
  values: Float64Array;
}

function readRows<Evidence extends object>(of: readonly Evidence[], names: readonly (keyof Evidence)[]): Rows {
  const begins = new Int32Array(of.length + 1);
  const columns: number[] = [];
  const values: number[] = [];
  of.forEach((evidence, r) => {
    names.forEach((name, column) => {
      const value = Number(evidence[name]);
      if (value === 0) return;
      columns.push(column);
      values.push(value);
    });
    begins[r + 1] = values.length;
  });
  return { begins, columns: Int32Array.from(columns), values: Float64Array.from(values) };
}

/** exp of each row's weighted sum and base, less the greatest. */
function softmaxPowers({ begins, columns, values }: Rows, w: readonly number[], base: Float64Array): Float64Array {
  const sums = new Float64Array(base);
  let most = -Infinity;
  for (let r = 0; r < sums.length; r++) {
    let sum = sums[r] ?? 0;
    for (let at = begins[r] ?? 0; at < (begins[r + 1] ?? 0); at++)
      sum += (values[at] ?? 0) * (w[columns[at] ?? 0] ?? 0);
    sums[r] = sum;
    most = Math.max(most, sum);
  }
  for (let r = 0; r < sums.length; r++) sums[r] = Math.exp((sums[r] ?? 0) - most);
  return sums;
}
