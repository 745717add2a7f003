import type { Outcome } from '../measures.js';

/** The effect that a threshold would have had on the measured cases. */
export interface ThresholdPoint {
  threshold: number;
  /** Cases whose best answer has this score at least. */
  answered: number;
  /** Answered cases whose best answer is right. */
  right: number;
  /** right / answered; 0 when nothing is answered. */
  precision: number;
  /** Lower end of the 95 % interval of the precision; 0 when nothing is answered. */
  lower: number;
}

export type Advice =
  /** The aim is met, and the interval's lower end meets it, too. */
  | { verdict: 'sure'; point: ThresholdPoint }
  /** The aim is met as measured; the true precision may lie below it. */
  | { verdict: 'likely'; point: ThresholdPoint }
  /** There are too few answers to judge by: fewer than {@link FEWEST_ANSWERS}. */
  | { verdict: 'too little'; point: ThresholdPoint | undefined }
  /** No threshold meets the aim; `point` comes nearest. */
  | { verdict: 'never'; point: ThresholdPoint };

const FIRST = 30;
const LAST = 99;
export const FIRST_THRESHOLD = FIRST / 100;
/** Below so many answers, the 95 % interval of a precision of 0.8 is wider than 0.28. */
export const FEWEST_ANSWERS = 30;
const Z = 1.959964;

/** Thresholds 0.30, 0.31, … 0.99. */
export function thresholdCurve(outcomes: readonly Outcome[]): ThresholdPoint[] {
  return Array.from({ length: LAST - FIRST + 1 }, (_, i) => {
    const threshold = (FIRST + i) / 100;
    const answered = outcomes.filter(({ score }) => score >= threshold);
    const right = answered.filter((outcome) => outcome.right).length;
    return {
      threshold,
      answered: answered.length,
      right,
      precision: answered.length === 0 ? 0 : right / answered.length,
      lower: wilsonLower(right, answered.length),
    };
  });
}

/** The lowest threshold whose precision@1 is at least `aim`, 0 to 1, and how far the data bears it out. */
export function adviseThreshold(curve: readonly ThresholdPoint[], aim: number): Advice {
  const point = curve.find(({ answered, precision }) => answered > 0 && precision >= aim);
  const most = curve[0]?.answered ?? 0;
  if (most < FEWEST_ANSWERS) return { verdict: 'too little', point };
  if (!point) {
    const weighty = curve.filter(({ answered }) => answered >= FEWEST_ANSWERS);
    return {
      verdict: 'never',
      point: weighty.reduce(
        (best, candidate) => (candidate.precision > best.precision ? candidate : best),
        weighty[0] as ThresholdPoint,
      ),
    };
  }
  if (point.answered < FEWEST_ANSWERS) return { verdict: 'too little', point };
  return { verdict: point.lower >= aim ? 'sure' : 'likely', point };
}

/**
 * Lower end of the 95 % score interval of a share (Wilson 1927, "Probable inference, the law of succession, and
 * statistical inference"): (p + z²/2n - z sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n).
 */
export function wilsonLower(successes: number, n: number): number {
  if (n === 0) return 0;
  const p = successes / n;
  const z2 = Z * Z;
  return Math.max(0, (p + z2 / (2 * n) - Z * Math.sqrt((p * (1 - p)) / n + z2 / (4 * n * n))) / (1 + z2 / n));
}
