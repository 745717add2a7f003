/** Fewer 404s in an hour are no spike, whatever is usual. */
const MIN_NOT_FOUNDS = 20;
/** And they are more than twice what is usual. */
const MIN_TIMES = 2;
const MAX_SCORE = 3.5;
/** Makes the median absolute deviation comparable with a standard deviation: 1 / 0.6745. */
const SCALE = 1.4826;

/**
 * Whether an hour has many more 404s than the same hour of earlier days, and of the same day of the week.
 *
 * The modified z-score of Iglewicz and Hoaglin ("How to Detect and Handle Outliers", ASQC 1993): the distance from the
 * median in units of 1.4826 × the median absolute deviation, and 3.5 is the bound that they recommend. Medians do not
 * follow the spikes of earlier weeks. A quiet site's deviation is 0: it counts at least as the square root of the
 * median, which is what independent visitors make (Poisson). What comes every week (a newsletter on Tuesdays) is usual.
 *
 * @param earlier 404s in the same hour of earlier days.
 * @param sameWeekday those of them that were on this day of the week.
 */
export function isSpike(notFounds: number, earlier: readonly number[], sameWeekday: readonly number[]): boolean {
  const usual = median(earlier);
  const deviation = Math.max(SCALE * median(earlier.map((hits) => Math.abs(hits - usual))), Math.sqrt(usual), 1);
  return (
    notFounds >= MIN_NOT_FOUNDS &&
    (notFounds - usual) / deviation > MAX_SCORE &&
    notFounds > MIN_TIMES * Math.max(usual, median(sameWeekday))
  );
}

/** 0 of none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = 0, high = 0] = sorted.length % 2 === 1 ? [sorted[middle], sorted[middle]] : sorted.slice(middle - 1);
  return (low + high) / 2;
}
