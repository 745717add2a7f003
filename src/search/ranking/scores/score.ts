import type { CertaintyFacts } from '../evidence/certainty-facts.js';
import type { ChoiceCurve, CurvePoint, QuestionCurve, QuestionEvidence, Weights } from './calibration.js';
import type { Thresholds } from '../../../base/glossary.js';

/** Shares are clamped to these bounds: no data shows how certain more extreme ones are. */
const MIN_SHARE = 1e-4;
const MAX_SHARE = 1 - 1e-3;

/** Computes the weighted sum that ranks candidates. Weights are not negative, so more evidence never ranks lower. */
export function rankValue<Evidence extends object>(weights: Weights<Evidence>, evidence: Evidence): number {
  return rankBy(weights)(evidence);
}

/** {@link rankValue} for many candidates. */
export function rankBy<Evidence extends object>(weights: Weights<Evidence>): (evidence: Evidence) => number {
  const names = Object.keys(weights) as (keyof Evidence)[];
  const factors = names.map((name) => weights[name]);
  return (evidence) => {
    let value = 0;
    for (let at = 0; at < names.length; at++)
      value += (factors[at] ?? 0) * Number(evidence[names[at] as keyof Evidence]);
    return value;
  };
}

function logistic(x: number): number {
  return 1 / (1 + Math.exp(-x));
}

/** Computes the shares of candidates, see {@link ChoiceCurve}. With that of "none" they add up to 1. */
export function sharesOf(values: readonly number[], none: number): number[] {
  const max = values.reduce((a, b) => Math.max(a, b), none);
  const powers = values.map((value) => Math.exp(value - max));
  const total = powers.reduce((a, b) => a + b, Math.exp(none - max));
  return powers.map((power) => power / total);
}

/**
 * Another page is less sure by this part of its distance to the best: several pages may answer a question. The distance
 * to the tenth best page had this weight (.55 to .75) when questions were scored by that.
 */
const FALL = 0.6;

/** The cosine of the best page's best chunk, and the share of the question's words that it has. */
export type BestPage = Pick<QuestionEvidence, 'dense' | 'lexical'>;

/** Computes the scores of a question's candidates, in their order. */
export function scoreQuestion(curve: QuestionCurve, values: readonly number[], page: BestPage): number[] {
  const best = values.reduce((a, b) => Math.max(a, b), -Infinity);
  const z = surenessOfQuestion(curve, values, page);
  return values.map((value) => readCurve(curve.points, z - FALL * (best - value)));
}

/** Computes z of the best page: how sure it is, see {@link QuestionCurve}. */
export function surenessOfQuestion(
  { none, slope, dense, lexical, lead, intercept }: Omit<QuestionCurve, 'points'>,
  values: readonly number[],
  page: BestPage,
): number {
  const shareTerm = slope * logShare(bestShare(values, none));
  return shareTerm + dense * page.dense + lexical * page.lexical + lead * leadOf(values, none) + intercept;
}

/** Pages as near to the best one as this are taken to have its text under another url: they are no rivals. */
const SAME_TEXT = 0.05;

/** Computes the share of the best page, with those of the same text. */
export function bestShare(values: readonly number[], none: number): number {
  const best = values.reduce((a, b) => Math.max(a, b), -Infinity);
  return sharesOf(values, none).reduce(
    (sum, share, at) => sum + (best - (values[at] ?? 0) <= SAME_TEXT ? share : 0),
    0,
  );
}

/** A longer lead does not count for more. */
const MAX_LEAD = 8;

/** Computes the mean distance of the best sum to the next three of other texts, or to "none", of MAX_LEAD each. */
export function leadOf(values: readonly number[], none: number): number {
  const best = values.reduce((a, b) => Math.max(a, b), -Infinity);
  const rivals = values.filter((value) => best - value > SAME_TEXT).sort((a, b) => b - a);
  const next = [...rivals, none, none, none].slice(0, 3);
  return next.reduce((sum, value) => sum + Math.max(0, Math.min(MAX_LEAD, best - value)), 0) / next.length;
}

/** Returns the logarithm of a share, or of the smallest one that counts. */
export function logShare(share: number): number {
  return Math.log(Math.max(MIN_SHARE, share));
}

/** Returns the log-odds of a share, clamped. */
export function logOdds(share: number): number {
  const bounded = Math.min(MAX_SHARE, Math.max(MIN_SHARE, share));
  return Math.log(bounded / (1 - bounded));
}

/** The fit of a calibration sees so many candidates of a path. */
const USUAL_CANDIDATES = 20;

/** Candidates with a smaller share take the facts of the one before them. */
const MIN_COMPARED = 0.01;

/** Computes how sure each candidate of a dead path is, see {@link ChoiceCurve}; none is surer than a better one. */
export function sureness(
  { none, slope, intercept, facts: weights }: Pick<ChoiceCurve, 'none' | 'slope' | 'intercept' | 'facts'>,
  values: readonly number[],
  factsOf: (at: number) => CertaintyFacts,
): number[] {
  // On a site of few pages each page stands out, whatever the path means.
  const noneAmong = none + Math.log1p(Math.max(0, USUAL_CANDIDATES - values.length));
  const shares = sharesOf(values, noneAmong);
  const order = values.map((_, at) => at).sort((a, b) => (values[b] ?? 0) - (values[a] ?? 0));
  const sure = values.map(() => 0);
  let [min, facts] = [Infinity, 0];
  for (const at of order) {
    const share = shares[at] ?? 0;
    if (min === Infinity || share >= MIN_COMPARED) facts = rankValue(weights, factsOf(at));
    min = Math.min(min, slope * logOdds(share) + facts + intercept);
    sure[at] = min;
  }
  return sure;
}

/** Computes the scores of a dead path's candidates. @param shift is added to how sure each of them is */
export function scoreByChoice(
  curve: ChoiceCurve,
  values: readonly number[],
  factsOf: (at: number) => CertaintyFacts,
  shift = 0,
): number[] {
  return sureness(curve, values, factsOf).map((z) => readCurve(curve.points, z + shift));
}

/** Reads the score at z: linear in log-odds between the points; beyond them log-odds grow as z does. */
export function readCurve(points: readonly CurvePoint[], z: number): number {
  const after = points.findIndex((point) => z < point.z);
  const to = after < 0 ? undefined : points[after];
  const from = points[after < 0 ? points.length - 1 : after - 1];
  if (from === undefined || to === undefined) {
    const end = from ?? to;
    return logistic(end === undefined ? z : logOdds(end.score) + z - end.z);
  }
  const part = (z - from.z) / (to.z - from.z);
  return logistic(logOdds(from.score) + part * (logOdds(to.score) - logOdds(from.score)));
}

/** Computes what a learned redirect adds: log-odds and a bonus, since its confidence is cautious (99% were right). */
export function redirectValue(moved: number): number {
  return moved <= 0 ? 0 : 4 + logOdds(moved);
}

/**
 * Computes what learned redirects add to a page's sum. Clicks, the part of `moved` beyond `byRedirects`, add only their
 * log-odds: they decide between equally likely pages, and do not outweigh path evidence.
 */
export function redirectsValue(moved: number, byRedirects: number): number {
  return Math.max(redirectValue(byRedirects), moved > byRedirects ? Math.max(0, logOdds(moved)) : 0);
}

/** The maximum for a page of another number, date, version, code, id or language: below an answer's threshold. */
export const MAX_CONTRADICTED_SCORE = 0.69;
export const CONTRADICTED = 'its number, date, version or code is another';
export const OTHER_LANGUAGE = 'it is in another language';

/** The maximum score for a page without vectors: above it, sites redirect. */
export const MAX_WAITING_SCORE = 0.9;

/** The maximum score for paths that scanners try, and in dead ends: a link in a list at most. */
export const MAX_DOUBTED_SCORE = 0.5;

/** Sorts in place, best first. Ties have a fixed order, so that equal requests have equal answers. */
export function sortByScore<Page extends { pageId: string; score: number; value: number }>(pages: Page[]): Page[] {
  return pages.sort((a, b) => b.score - a.score || b.value - a.value || (a.pageId < b.pageId ? -1 : 1));
}

/** The specification has the threshold of redirects in 4.7. */
export const DEFAULT_THRESHOLDS: Thresholds = { redirectAbove: 0.9, shownFrom: 0.1 };

/** Below one half, every other visitor would be sent to a wrong page and not know it. */
const RANGES = { redirectAbove: [0.5, 1], shownFrom: [0, 1] } as const;

/** Returns the score that is shown, and compared with thresholds: four decimals, rounded down. */
export function shownScore(score: number): number {
  // .69 times ten thousand is a little less than 6900.
  return Math.floor(score * 10_000 + 1e-9) / 10_000;
}

/** Tells whether a visitor is redirected to a page. Only known redirects have the score 1. */
export function isSure(
  { score, isWaiting = false }: { score: number; isWaiting?: boolean },
  { redirectAbove }: Pick<Thresholds, 'redirectAbove'>,
): boolean {
  return (score > redirectAbove && !isWaiting) || score === 1;
}

/** Returns why a threshold cannot have this value; undefined if it can. */
export function thresholdProblem(name: keyof Thresholds, value: number): string | undefined {
  const [min, max] = RANGES[name];
  return value >= min && value <= max ? undefined : `This is a score from ${min} to ${max}.`;
}
