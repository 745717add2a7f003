/** A share from 0 to 1 as `86%`; a dash where there is nothing to divide by. */
export function percent(part: number, whole = 1): string {
  return whole === 0 ? '–' : `${Math.round((100 * part) / whole)}%`;
}

/** A score as `0.83`, rounded down: none reaches a threshold, or a rule's certainty, that it missed. */
export function scoreText(score: number): string {
  return (hundredths(score) / 100).toFixed(2);
}

/** The same as `83%` */
export function scorePercent(score: number): string {
  return `${hundredths(score)}%`;
}

/** 0.29 times a hundred is a little less than 29. */
function hundredths(score: number): number {
  return Math.floor(score * 100 + 1e-9);
}
