import type { ChoiceCurve, StandingCurve, Weights } from './calibration.js';

/** Shares nearer to 0 or 1 than this are not told apart: no data says how sure they are. */
const MIN_SHARE = 1e-4;
const MAX_SHARE = 1 - 1e-3;

/** The sum that orders candidates; weights are not negative, so more evidence never ranks lower. */
export function rankValue<Evidence extends object>(weights: Weights<Evidence>, evidence: Evidence): number {
  let value = 0;
  for (const name of Object.keys(weights) as (keyof Evidence)[]) value += weights[name] * Number(evidence[name]);
  return value;
}

function logistic(x: number): number {
  return 1 / (1 + Math.exp(-x));
}

/** The place of the page that stands for what the site has for any question. */
const ANY_QUESTION = 10;

/** The sum of the page that stands for what the site has for any question. */
export function tenthOf(values: readonly number[]): number {
  return [...values].sort((a, b) => b - a)[ANY_QUESTION - 1] ?? 0;
}

/** log(words) of a question; none of one word was among the data, and two words seldom say twice as much. */
export function lengthOf(words: number): number {
  return Math.log(Math.max(2, words));
}

/** What stands for the site's usual page in a question with these sums: the tenth best, `usual` at most. */
export function usualOf(usual: number, values: readonly number[]): number {
  return Math.min(usual, tenthOf(values));
}

/** Scores of all candidates of one question of so many distinct words, in their order. */
export function scoreByStanding(curve: StandingCurve, values: readonly number[], words: number): number[] {
  const base = curve.length * lengthOf(words) + curve.intercept - curve.slope * usualOf(curve.usual, values);
  return values.map((value) => logistic(curve.slope * value + base));
}

/**
 * Shares of certainty of the candidates with these sums, see {@link ChoiceCurve}; they and that of "none" add up to 1.
 */
export function sharesOf(values: readonly number[], none: number): number[] {
  const most = values.reduce((a, b) => Math.max(a, b), none);
  const powers = values.map((value) => Math.exp(value - most));
  const total = powers.reduce((a, b) => a + b, Math.exp(none - most));
  return powers.map((power) => power / total);
}

/** The log-odds of a share, within bounds. */
export function shareOdds(share: number): number {
  const bounded = Math.min(MAX_SHARE, Math.max(MIN_SHARE, share));
  return Math.log(bounded / (1 - bounded));
}

/** Scores of all candidates of one dead path, in their order. */
export function scoreTogether(curve: ChoiceCurve, values: readonly number[]): number[] {
  return sharesOf(values, curve.none).map((share) => logistic(curve.slope * shareOdds(share) + curve.intercept));
}

/**
 * What a move adds to a page's sum: its log-odds, and as much again as what is known outweighs what is guessed; of
 * held-out redirects that moved sections answered 99% were right (docs/relevance.md), far more than their cautious
 * confidence says.
 */
export function movedValue(moved: number): number {
  return moved <= 0 ? 0 : 4 + shareOdds(moved);
}

/**
 * What is known of a page's moves, `told` by the customer's redirects. Clicks add their log-odds alone: they decide
 * between pages that are equally likely, and do not outweigh what a path says.
 */
export function knownValue(moved: number, told: number): number {
  return Math.max(movedValue(told), moved > told ? Math.max(0, shareOdds(moved)) : 0);
}
