import {
  MIN_REDIRECTS,
  SUGGEST_EVIDENCE,
  type Calibration,
  type PathAndContentEvidence,
  type SuggestEvidence,
  type Weights,
} from '../scores/calibration.js';
import { createHash } from 'node:crypto';
import { fitChoice } from './fit-choice-model.js';
import { rankValue, scoreByChoice } from '../scores/score.js';

/** A search of the project with its candidates. `base`: what redirects add to the weighted sum. */
export interface OwnSearch {
  candidates: readonly { evidence: SuggestEvidence; right: boolean; base: number }[];
}

/** A search with a right answer. Searches of one group are held out together. */
export interface OwnCase extends OwnSearch {
  group: string;
}

export interface OwnCases {
  redirects: readonly OwnCase[];
  /** Live paths with a typo, which the weights must still answer. */
  mistyped: readonly OwnCase[];
  /** Paths that mean no page. */
  junk: readonly OwnSearch[];
}

export type Verdict = 'accepted' | 'too few redirects' | 'not surely better' | 'mistyped paths worse' | 'junk answered';

/** With the model's weights, and with the project's own. */
interface Compared {
  before: number;
  after: number;
}

/** All of redirects and mistyped paths that the weights were fitted without. */
export interface OwnFigures {
  redirects: number;
  /** The share of redirects whose page comes first. */
  recall1: Compared;
  /** The mean -log of the probability of the right page. */
  log_loss: Compared;
  /** The gain in log-loss by its standard error over groups of redirects. */
  z: number;
  mistyped: number;
  mistyped_recall1: Compared;
  junk: number;
  /** The share of junk that scores .7 or more. */
  junk_answered: Compared;
}

export interface OwnFit {
  verdict: Verdict;
  weights: Weights<PathAndContentEvidence>;
  noneAdded: number;
  figures: OwnFigures;
}

/** Redirects to one page are one group: what it teaches has to be checked on others. */
const MIN_GROUPS = 10;
/** With 1.6 in its place, weights were accepted on three more of 27 sites and lost on three. */
const MIN_Z = 2.3;
/** Of mistyped paths, so many may be lost. */
const MAX_MISTYPED_LOST = 0.01;
/** How much the model's weights count, beside one redirect each. */
const PRIOR = 0.1;
/** Of a fit that begins at the model's weights, which are near already. */
const STEPS = 120;
const FOLDS = 5;
const ANSWERED = 0.7;

type Ranking = Calibration['suggest'];

/**
 * Fits weights on a project's own redirects, pulled to the model's, and judges them on redirects and mistyped paths
 * that they were fitted without. Yields while it works: some seconds for 300 redirects.
 */
export function* fitOwn(model: Ranking, cases: OwnCases): Generator<void, OwnFit> {
  const { redirects, mistyped, junk } = cases;
  const before = redirects.map((one) => judge(model.rank, one));
  const after: JudgedCase[] = redirects.map(() => ({ right: 0, loss: 0 }));
  const mistypedBefore = sum(mistyped.map((one) => judge(model.rank, one).right));
  let mistypedAfter = 0;
  const groups = new Set(redirects.map(({ group }) => group)).size;
  const enough = redirects.length >= MIN_REDIRECTS && groups >= MIN_GROUPS;
  const [foldOf, foldOfMistyped] = [foldsOf(redirects), foldsOf(mistyped)];
  for (let fold = 0; enough && fold < FOLDS; fold++) {
    const weights = yield* fit(
      model,
      redirects.filter((_, at) => foldOf[at] !== fold),
      mistyped.filter((_, at) => foldOfMistyped[at] !== fold),
    );
    for (const [at, one] of redirects.entries()) if (foldOf[at] === fold) after[at] = judge(weights, one);
    for (const [at, one] of mistyped.entries())
      if (foldOfMistyped[at] === fold) mistypedAfter += judge(weights, one).right;
  }
  const weights = enough ? yield* fit(model, redirects, mistyped) : model.rank;
  const noneAdded = addedToNone(model, weights, junk);
  const own: Ranking = { rank: weights, score: { ...model.score, none: model.score.none + noneAdded } };
  const figures: OwnFigures = {
    redirects: redirects.length,
    recall1: { before: mean(before.map(({ right }) => right)), after: mean(after.map(({ right }) => right)) },
    log_loss: { before: mean(before.map(({ loss }) => loss)), after: mean(after.map(({ loss }) => loss)) },
    z: standardized(redirects.map(({ group }, at) => [group, (before[at]?.loss ?? 0) - (after[at]?.loss ?? 0)])),
    mistyped: mistyped.length,
    mistyped_recall1: {
      before: mistypedBefore / (mistyped.length || 1),
      after: mistypedAfter / (mistyped.length || 1),
    },
    junk: junk.length,
    junk_answered: { before: shareAnswered(model, junk), after: shareAnswered(own, junk) },
  };
  return { verdict: enough ? verdictOf(figures) : 'too few redirects', weights, noneAdded, figures };
}

function verdictOf({ recall1, z, mistyped_recall1: mistyped, junk_answered: junk }: OwnFigures): Verdict {
  if (z < MIN_Z || recall1.after < recall1.before) return 'not surely better';
  if (mistyped.after < mistyped.before - MAX_MISTYPED_LOST) return 'mistyped paths worse';
  return junk.after > junk.before ? 'junk answered' : 'accepted';
}

/** Redirects count one each, and mistyped paths as much as all redirects. */
function fit(
  model: Ranking,
  redirects: readonly OwnCase[],
  mistyped: readonly OwnCase[],
): Generator<void, Weights<PathAndContentEvidence>> {
  const all = redirects.length + (mistyped.length > 0 ? redirects.length : 0);
  const choices = [
    ...redirects.map((one) => ({ ...one, weight: 1 })),
    ...mistyped.map((one) => ({ ...one, weight: redirects.length / mistyped.length })),
  ];
  const prior = { weights: model.rank, strength: PRIOR / (all || 1), start: model.rank, steps: STEPS };
  return fitChoice<PathAndContentEvidence>(choices, SUGGEST_EVIDENCE, prior);
}

interface JudgedCase {
  /** 1 or 0. */
  right: number;
  loss: number;
}

function valuesOf(weights: Ranking['rank'], { candidates }: OwnSearch): number[] {
  return candidates.map(({ evidence, base }) => rankValue(weights, evidence) + base);
}

/** A search whose right page is not among the candidates is lost with any weights. */
function judge(weights: Ranking['rank'], search: OwnSearch): JudgedCase {
  const values = valuesOf(weights, search);
  const right = values.filter((_, at) => search.candidates[at]?.right);
  if (right.length === 0) return { right: 0, loss: 0 };
  return { right: Number(Math.max(...right) >= Math.max(...values)), loss: logSum(values) - logSum(right) };
}

function logSum(values: readonly number[]): number {
  const most = Math.max(...values);
  return most + Math.log(sum(values.map((value) => Math.exp(value - most))));
}

/** "None of them" has to weigh as much beside the new sums as it did beside the model's: so junk says. */
function addedToNone(model: Ranking, weights: Ranking['rank'], junk: readonly OwnSearch[]): number {
  const found = junk.filter(({ candidates }) => candidates.length > 0);
  const rise = mean(found.map((one) => logSum(valuesOf(weights, one)) - logSum(valuesOf(model.rank, one))));
  return Math.round(Math.max(0, rise) * 100) / 100;
}

function shareAnswered({ rank, score }: Ranking, junk: readonly OwnSearch[]): number {
  const best = junk.map((one) => Math.max(0, ...scoreByChoice(score, valuesOf(rank, one))));
  return mean(best.map((score) => Number(score >= ANSWERED)));
}

/** The fold of each case: groups in the order of a hash, in turns. */
function foldsOf(cases: readonly OwnCase[]): number[] {
  const hash = (group: string): string => createHash('sha256').update(group).digest('hex');
  const groups = [...new Set(cases.map(({ group }) => group))].map((group) => ({ group, hash: hash(group) }));
  groups.sort((a, b) => (a.hash < b.hash ? -1 : 1));
  const folds = new Map(groups.map(({ group }, at) => [group, at % FOLDS]));
  return cases.map(({ group }) => folds.get(group) ?? 0);
}

/** The sum over groups by its standard error, as if nothing were gained on average. */
function standardized(gains: readonly (readonly [group: string, gain: number])[]): number {
  const byGroup = new Map<string, number>();
  for (const [group, gain] of gains) byGroup.set(group, (byGroup.get(group) ?? 0) + gain);
  const all = [...byGroup.values()];
  const spread = Math.sqrt(sum(all.map((gain) => gain * gain)));
  return spread === 0 ? 0 : sum(all) / spread;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : sum(values) / values.length;
}
