import type { Thresholds } from '../base/glossary.js';

/** Redirects: specification, 4.7. */
export const DEFAULT_THRESHOLDS: Thresholds = { redirectAbove: 0.9, shownFrom: 0.1 };

/** Below one half, every other visitor would be sent to a wrong page and not know it. */
const RANGES = { redirectAbove: [0.5, 1], shownFrom: [0, 1] } as const;

/**
 * The score that is shown, of four decimals. Rounded down, so that it does not reach a threshold that the score missed;
 * thresholds are compared with it, so that none is shown below the one that was asked for.
 */
export function shownScore(score: number): number {
  // .69 times ten thousand is a little less than 6900.
  return Math.floor(score * 10_000 + 1e-9) / 10_000;
}

/** Only known redirects have the score 1. */
export function isSure(score: number, { redirectAbove }: Thresholds): boolean {
  return score > redirectAbove || score === 1;
}

/** Why a threshold cannot be that; undefined if it can. */
export function thresholdProblem(which: keyof Thresholds, value: number): string | undefined {
  const [least, most] = RANGES[which];
  return value >= least && value <= most ? undefined : `This is a score from ${least} to ${most}.`;
}
