import {
  QUESTION_EVIDENCE,
  SUGGEST_EVIDENCE,
  UNCALIBRATED,
  type Calibration,
  type PathAndContentEvidence,
  type QuestionEvidence,
  type SuggestEvidence,
  type CurvePoint,
  type QuestionCurve,
  type Ranking,
  type Weights,
} from '#src/search/ranking/scores/calibration.js';
import { fitChoice, type Prior } from './fit-choice-model.js';
import { readCertainty, type CertaintyFacts } from '#src/search/ranking/evidence/certainty-facts.js';
import { readLivePath, type LivePath } from '#src/search/ranking/evidence/page-path.js';
import {
  MAX_CONTRADICTED_SCORE,
  MAX_DOUBTED_SCORE,
  rankValue,
  scoreByChoice,
  scoreQuestion,
  sureness,
  surenessOfQuestion,
} from '#src/search/ranking/scores/score.js';
import { readDeadPath } from '#src/text/paths/dead-path.js';
import { sanitizePath } from '#src/text/paths/sanitize-path.js';
import { mean } from '../eval/measures.js';
import type { ContentExample, Evidence, SuggestExample } from './collect-evidence.js';
import {
  fitChoiceCurve,
  fitQuestionCurve,
  weighMoves,
  weighEvidence,
  type Judged,
  type JudgedQuestion,
} from './fit.js';

type Shares = Partial<Record<Example['kind'], number>>;

/**
 * What the kinds of a site weigh where candidates are put in order; all sites weigh the same. Mistyped paths weigh
 * most, since they are surely answerable. Paths in visitors' own words are fewer than redirects and gain more: with 3
 * in place of 1 .396/.625 of those of seven sites left out are right in place of .375/.596, of the redirects .787 in
 * place of .791.
 */
const ORDER = {
  suggest: { redirect: 2, known: 2, typo: 5, meant: 3 },
  content: { query: 1, path: 1, meant: 1.5 },
} satisfies Record<string, Shares>;

/**
 * What they weigh where scores are fitted. Of dead paths a third moved, a third is mistyped and a third was taken off;
 * the other kinds keep the curve from what these three do not show.
 */
const SCORE = {
  suggest: { redirect: 1, typo: 1, taken_off: 1, known: 0.3, probe: 0.1, meant: 0.3, foreign: 0.2 },
  content: { query: 1, path: 1, meant: 1, foreign: 0.3, gone: 0.5 },
} satisfies Record<string, Shares>;

type Example = SuggestExample | ContentExample;

function weightsOf(examples: readonly Example[], shares: Shares): (example: Example) => number {
  const counts = new Map<string, number>();
  for (const { site, kind } of examples) counts.set(`${site} ${kind}`, (counts.get(`${site} ${kind}`) ?? 0) + 1);
  return ({ site, kind }) => (shares[kind] ?? 0) / (counts.get(`${site} ${kind}`) ?? 1);
}

/** What is not fitted again: the weights of suggest, to which weights that they lack are added. */
export interface KeptRanks {
  suggest?: { rank: Partial<Weights<PathAndContentEvidence>> };
  query?: Weights<QuestionEvidence>;
  /** Weights of suggest to which those that are fitted are pulled, see {@link PRIOR_STRENGTH}. */
  prior?: Weights<PathAndContentEvidence>;
}

/**
 * Little: it decides where few sites do. Of the 21 sites one alone has paths in several languages, and the weight of
 * `sameLanguage` is 3.2 with it and 0 without it.
 */
const PRIOR_STRENGTH = 1e-3;
/** From weights of 1 on, and from a prior, which is near already. */
const [STEPS, STEPS_FROM_PRIOR] = [300, 120];

/** Without weights to pull to, a little ridge keeps what the data does not decide small. */
function noPrior<E extends object>(names: readonly (keyof E)[]): Prior<E> {
  const all = (value: number): Weights<E> => Object.fromEntries(names.map((name) => [name, value])) as Weights<E>;
  return { weights: all(0), strength: 1e-4, start: all(1), steps: STEPS };
}

/**
 * Fits everything on these examples. Of kept weights of questions only the curve is fitted. With
 * titles on top of the content, a page's beginning is its title, and a fit makes so much of it (4.3 in place of 1.9)
 * that what stands at the end of a long page is no longer found. Of questions .559 in place of .551 are right.
 */
export function fitCalibration({ suggest, content }: Evidence, kept: KeptRanks = {}): Calibration {
  const weigh = weightsOf(suggest, ORDER.suggest);
  const keptRank = kept.suggest?.rank ?? {};
  const known = kept.prior && { ...kept.prior, moved: 0 };
  const prior: Prior<SuggestEvidence> = known
    ? { weights: known, strength: PRIOR_STRENGTH, start: known, steps: STEPS_FROM_PRIOR }
    : noPrior<SuggestEvidence>(SUGGEST_EVIDENCE);
  const fitted = fitChoice(
    suggest.map((example) => ({
      weight: weigh(example),
      candidates: example.candidates.map((one) => ({
        ...one,
        base: weighMoves(one.evidence) + rankValue(keptRank as Weights<PathAndContentEvidence>, one.evidence),
      })),
    })),
    SUGGEST_EVIDENCE.filter((name) => keptRank[name] === undefined),
    prior,
  );
  const rank = { ...fitted, ...keptRank };
  return { suggest: fitScores(rank, suggest), ...fitByContent(content, kept.query) };
}

/** Fits the scores alone, for the weights of a calibration. */
export function fitAllScores(kept: Calibration, { suggest, content }: Evidence): Calibration {
  const of = (...kinds: ContentExample['kind'][]): ContentExample[] =>
    content.filter(({ kind }) => kinds.includes(kind));
  return {
    suggest: fitScores(kept.suggest.rank, suggest),
    pathAsText: fitQuestionScores(kept.pathAsText.rank, of('path')),
    query: fitQuestionScores(kept.query.rank, of('query', 'meant', 'foreign')),
  };
}

/** Fits the scores of suggest, without {@link placePoints}. */
export function fitScores(
  rank: Weights<PathAndContentEvidence>,
  suggest: readonly SuggestExample[],
): Calibration['suggest'] {
  const weighScore = weightsOf(suggest, SCORE.suggest);
  const judge = (example: SuggestExample): Judged[] => {
    const [sorted, weight] = [byValue(rank, example), weighScore(example)];
    const [best] = sorted;
    // What has a bound says nothing of the curve.
    if (best === undefined || weight === 0 || example.looksLikeProbe || best.isContradicted) return [];
    return [
      { values: sorted.map(({ value }) => value), facts: readFacts(example, best.path), right: best.right, weight },
    ];
  };
  const curve = fitChoiceCurve(suggest.flatMap(judge));
  return { rank, score: { ...curve, points: UNCALIBRATED.suggest.score.points } };
}

/** Of the redirected, and of the answered, so many are right, and of pages that were taken off at most so many are. */
const PROMISES = [
  { score: 0.7, right: 0.895, takenOff: 0.17 },
  { score: 0.9, right: 0.965, takenOff: 0.035 },
] as const;
/** Of the dead paths whose page is first this share reaches a list's threshold. */
const LISTED = 0.995;
/** Just below .7 scores fall fast: with a z that much lower, a third of the best pages are right. */
const STEEP = { below: 0.5, score: 0.35 };

/** How sure the best page of a dead path is, by a fit that left its site out. */
export interface Sure {
  site: string;
  kind: SuggestExample['kind'];
  /** Minus infinity: it has a bound, or there is none. */
  z: number;
  right: boolean;
}

/**
 * Where the score is .7 and .9: as low as {@link PROMISES} hold for dead paths of which a third moved, a third is
 * mistyped and a third was taken off, all sites weighing the same. Where it is .1: {@link LISTED}.
 */
export function placePoints(cases: readonly Sure[]): CurvePoint[] {
  const mixture = ['redirect', 'typo', 'taken_off'] as const;
  const sites = new Map<string, Sure[]>();
  for (const one of cases) {
    const key = `${one.kind} ${one.site}`;
    sites.set(key, [...(sites.get(key) ?? []), one]);
  }
  const share = (kind: string, is: (one: Sure) => boolean): number =>
    mean([...sites].filter(([key]) => key.startsWith(`${kind} `)).map(([, of]) => of.filter(is).length / of.length));
  const sum = (is: (one: Sure) => boolean): number => mixture.reduce((all, kind) => all + share(kind, is), 0);
  const steps = Array.from({ length: 241 }, (_, i) => Math.round((6 - i / 20) * 100) / 100);
  const placed = PROMISES.map(({ score, right, takenOff }) => {
    const broken = steps.findIndex((z) => {
      const answered = sum((one) => one.z >= z);
      const isRight = sum((one) => one.z >= z && one.right) >= right * answered;
      return answered > 0 && (!isRight || share('taken_off', (one) => one.z >= z) > takenOff);
    });
    return { z: steps[Math.max(0, (broken < 0 ? steps.length : broken) - 1)] ?? 0, score };
  });
  const right = cases.filter((one) => one.right && one.kind !== 'taken_off' && one.z > -Infinity).map(({ z }) => z);
  right.sort((a, b) => b - a);
  const listed = right[Math.floor(LISTED * right.length)] ?? -2;
  const steep = (placed[0]?.z ?? 0) - STEEP.below;
  const round = (z: number): number => Math.round(z * 100) / 100;
  return [{ z: round(Math.min(listed, steep - 1)), score: 0.1 }, { z: round(steep), score: STEEP.score }, ...placed];
}

/** Fits what searches by content alone go by. Of kept weights of questions only the curve is fitted. */
export function fitByContent(
  content: readonly ContentExample[],
  kept?: Weights<QuestionEvidence>,
): Pick<Calibration, 'pathAsText' | 'query'> {
  const of = (...kinds: ContentExample['kind'][]): ContentExample[] =>
    content.filter(({ kind }) => kinds.includes(kind));
  const [paths, questions] = [of('path'), of('query', 'meant', 'foreign')];
  // What has no cases stays as it is in a model without a calibration.
  return {
    pathAsText: paths.length === 0 ? UNCALIBRATED.pathAsText : fitContent(paths),
    query: questions.length === 0 ? UNCALIBRATED.query : fitContent(questions, kept),
  };
}

/** Fits how the evidence of content orders pages, and how sure the first one is. */
function fitContent(
  examples: readonly ContentExample[],
  kept?: Weights<QuestionEvidence>,
): Ranking<QuestionEvidence, QuestionCurve> {
  const weigh = weightsOf(examples, ORDER.content);
  const rank =
    kept ??
    fitChoice(
      examples.map((example) => ({ weight: weigh(example), candidates: example.candidates })),
      QUESTION_EVIDENCE,
      noPrior<QuestionEvidence>(QUESTION_EVIDENCE),
    );
  return fitQuestionScores(rank, examples);
}

/**
 * What a site answered before a page was taken off is a case, too: without a right page, the next best one is a
 * plausible answer (SQuAD 2.0: Rajpurkar and others 2018, "Know what you don't know").
 */
function withTakenOff(examples: readonly ContentExample[]): ContentExample[] {
  return examples.flatMap((one) => {
    const others = one.candidates.filter(({ right }) => !right);
    return others.length === one.candidates.length ? [one] : [one, { ...one, kind: 'gone', candidates: others }];
  });
}

/** Fits the scores of searches by content. */
export function fitQuestionScores(
  rank: Weights<QuestionEvidence>,
  own: readonly ContentExample[],
): Ranking<QuestionEvidence, QuestionCurve> {
  const examples = withTakenOff(own);
  const weigh = weightsOf(examples, SCORE.content);
  const judged = examples.flatMap((example) => {
    const answers = byValue(rank, example);
    const [best] = answers;
    if (best === undefined) return [];
    const values = answers.map(({ value }) => value);
    return [{ kind: example.kind, values, page: best.evidence, right: best.right, weight: weigh(example) }];
  });
  if (judged.length === 0) return { rank, score: UNCALIBRATED.query.score };
  const curve = { ...fitQuestionCurve(judged), points: UNCALIBRATED.query.score.points };
  return { rank, score: { ...curve, points: placeQuestionPoints(curve, judged) } };
}

/**
 * Of the answered so many are right; above .9 at most so many of all are wrong, and so many answered of those that only
 * other sites answer. Measured on the hardest kind there is, with .02 more than is promised: the fit has seen its sites.
 */
const QUESTION_PROMISES = { right: 0.87, wrong: 0.004, foreign: 0.002 };

/** Where the score of a question is .7 and .9: as low as {@link QUESTION_PROMISES} hold. */
function placeQuestionPoints(
  curve: QuestionCurve,
  judged: readonly (JudgedQuestion & { kind: ContentExample['kind'] })[],
): CurvePoint[] {
  const hardest = judged.some(({ kind }) => kind === 'meant') ? ['meant'] : ['query', 'path'];
  const asked = judged.map((one) => ({ ...one, z: surenessOfQuestion(curve, one.values, one.page) }));
  const steps = Array.from({ length: 161 }, (_, i) => Math.round((4 - i / 20) * 100) / 100);
  const least = (holds: (z: number) => boolean): number => {
    const broken = steps.findIndex((z) => !holds(z));
    return steps[Math.max(0, (broken < 0 ? steps.length : broken) - 1)] ?? 0;
  };
  const own = asked.filter(({ kind }) => hardest.includes(kind));
  const foreign = asked.filter(({ kind }) => kind === 'foreign');
  const above = (z: number, isRight: boolean): number =>
    own.filter((one) => one.z >= z && one.right === isRight).length;
  const { right, wrong, foreign: most } = QUESTION_PROMISES;
  const answered = least((z) => above(z, true) * (1 - right) >= above(z, false) * right);
  const sure = least(
    (z) => above(z, false) <= wrong * own.length && foreign.filter((one) => one.z >= z).length <= most * foreign.length,
  );
  const steep = answered - STEEP.below;
  const round = (z: number): number => Math.round(z * 100) / 100;
  return [
    { z: round(steep - 2), score: 0.1 },
    { z: round(steep), score: STEEP.score },
    { z: answered, score: 0.7 },
    { z: Math.max(sure, answered + STEEP.below), score: 0.9 },
  ];
}

/** The candidates of one search, best first. */
export function byValue<E extends object, Candidate extends { evidence: E; right: boolean }>(
  weights: Weights<E>,
  { candidates }: { candidates: readonly Candidate[] },
): (Candidate & { value: number })[] {
  return candidates
    .map((one) => ({ ...one, value: weighEvidence(weights, one.evidence) }))
    .sort((a, b) => b.value - a.value);
}

const factsOfExamples = new WeakMap<SuggestExample, (path: string) => CertaintyFacts>();

/** What is compared of the paths of a search and a candidate. Kept, since a fit asks often. */
export function readFacts(example: SuggestExample, path: string): CertaintyFacts {
  let factsOf = factsOfExamples.get(example);
  if (!factsOf) {
    const known = new Set(example.known);
    const lives = new Map(example.candidates.map((one) => [one.path, readLive(one.path)]));
    const compare = readCertainty(readDeadPath(example.input), [...lives.values()], (word) => known.has(word));
    const facts = new Map<string, CertaintyFacts>();
    factsOf = (of) => {
      const found = facts.get(of) ?? compare(lives.get(of) as LivePath);
      facts.set(of, found);
      return found;
    };
    factsOfExamples.set(example, factsOf);
  }
  return factsOf(path);
}

function readLive(path: string): LivePath {
  const { words, slug } = sanitizePath(path);
  return readLivePath({ path, path_words: words.join(' '), slug_words: slug.join(' ') });
}

/** Score and rightness of the first answer, and whether a right one is among the first three. */
export interface Judgement {
  score: number;
  right: boolean;
  amongThree: boolean;
}

export function judgeSuggest(suggest: Calibration['suggest'], example: SuggestExample): Judgement {
  const sorted = byValue(suggest.rank, example);
  const [score = 0] = scoreByChoice(
    suggest.score,
    sorted.map(({ value }) => value),
    (at) => readFacts(example, sorted[at]?.path ?? ''),
  );
  const [best] = sorted;
  const max = example.looksLikeProbe ? MAX_DOUBTED_SCORE : best?.isContradicted === true ? MAX_CONTRADICTED_SCORE : 1;
  return judgement(sorted, Math.min(max, score));
}

/** How sure the best candidate is, before the score. */
export function judgeSureness({ rank, score }: Calibration['suggest'], example: SuggestExample): Sure {
  const sorted = byValue(rank, example);
  const [best] = sorted;
  const isOut = best === undefined || example.looksLikeProbe || best.isContradicted;
  const z =
    sureness(
      score,
      sorted.map(({ value }) => value),
      (at) => readFacts(example, sorted[at]?.path ?? ''),
    )[0] ?? -Infinity;
  return { site: example.site, kind: example.kind, z: isOut ? -Infinity : z, right: best?.right ?? false };
}

export function judgeQuery({ query }: Calibration, example: ContentExample): Judgement {
  const sorted = byValue(query.rank, example);
  const values = sorted.map(({ value }) => value);
  const page = sorted[0]?.evidence ?? { dense: 0, lexical: 0 };
  return judgement(sorted, scoreQuestion(query.score, values, page)[0] ?? 0);
}

function judgement(sorted: readonly { right: boolean }[], score: number): Judgement {
  return { score, right: sorted[0]?.right ?? false, amongThree: sorted.slice(0, 3).some(({ right }) => right) };
}
