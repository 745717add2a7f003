export interface JudgedScore {
  score: number;
  isRight: boolean;
}

/** The number of guesses that are right, and the bounds between which their share lies with 95%. */
export interface ShareRight {
  right: number;
  of: number;
  low: number;
  high: number;
}

/** With fewer judgements, no threshold is proposed. */
export const MIN_JUDGED = 20;
/** The minimum share of right guesses above a proposed threshold. */
export const AIM = 0.9;

/** The quantile of the normal distribution for 95%. */
const Z = 1.96;

/** Computes the share of guesses with scores over a threshold that are right, with its interval by Wilson. */
export function shareRightAbove(judged: readonly JudgedScore[], threshold: number): ShareRight {
  const above = judged.filter(({ score }) => score > threshold);
  const [of, right] = [above.length, above.filter(({ isRight }) => isRight).length];
  if (of === 0) return { right, of, low: 0, high: 1 };
  const share = right / of;
  const middle = share + (Z * Z) / (2 * of);
  const spread = Z * Math.sqrt((share * (1 - share)) / of + (Z * Z) / (4 * of * of));
  const whole = 1 + (Z * Z) / of;
  return { right, of, low: Math.max(0, (middle - spread) / whole), high: Math.min(1, (middle + spread) / whole) };
}

/**
 * Proposes the lowest threshold, in hundredths, above which the lower bound of the share right reaches {@link AIM};
 * undefined if there is none yet. Below the lowest score that was judged nothing is known.
 */
export function proposeThreshold(judged: readonly JudgedScore[]): number | undefined {
  if (judged.length < MIN_JUDGED) return undefined;
  const lowest = judged.reduce((min, { score }) => Math.min(min, score), 1);
  for (let hundredths = Math.max(50, Math.ceil(lowest * 100 - 1e-9) - 1); hundredths < 100; hundredths++)
    if (shareRightAbove(judged, hundredths / 100).low >= AIM) return hundredths / 100;
  return undefined;
}
