import {
  QUESTION_EVIDENCE,
  SUGGEST_EVIDENCE,
  UNCALIBRATED,
  type Calibration,
  type PathAndContentEvidence,
  type QuestionEvidence,
  type SuggestEvidence,
  type ChoiceCurve,
  type QuestionCurve,
  type Ranking,
  type Weights,
} from '#src/search/ranking/scores/calibration.js';
import { fitChoice, type Prior } from './fit-choice-model.js';
import { rankValue, scoreQuestion, scoreByChoice, MAX_DOUBTED_SCORE } from '#src/search/ranking/scores/score.js';
import { DEFAULT_THRESHOLD } from '#src/search/routes/search-route.js';
import { reliabilityOf, type Reliability } from '../eval/measures.js';
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

/** What they weigh where scores are fitted: as paths and questions come to a site, mostly those that it answers. */
const SCORE = {
  suggest: { redirect: 2, known: 2, typo: 3, probe: 2, meant: 1, foreign: 0.5 },
  content: { query: 1, path: 1, meant: 0.5, foreign: 0.5 },
} satisfies Record<string, Shares>;

type Example = SuggestExample | ContentExample;

function weightsOf(examples: readonly Example[], shares: Shares): (example: Example) => number {
  const counts = new Map<string, number>();
  for (const { site, kind } of examples) counts.set(`${site} ${kind}`, (counts.get(`${site} ${kind}`) ?? 0) + 1);
  return ({ site, kind }) => (shares[kind] ?? 0) / (counts.get(`${site} ${kind}`) ?? 1);
}

/** What is not fitted again: the weights and the curve of suggest, to which weights that they lack are added. */
export interface KeptRanks {
  suggest?: { rank: Partial<Weights<PathAndContentEvidence>>; score: ChoiceCurve };
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
  const weighScore = weightsOf(suggest, SCORE.suggest);
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
  const judge = (example: SuggestExample): Judged[] => {
    if (example.looksLikeProbe) return [];
    const sorted = byValue(rank, example);
    return sorted.length === 0
      ? []
      : [{ values: sorted.map(({ value }) => value), right: sorted[0]?.right ?? false, weight: weighScore(example) }];
  };
  const score = kept.suggest?.score ?? fitChoiceCurve(suggest.flatMap(judge));
  return {
    suggest: liftScores({ rank, score }, suggest),
    ...fitByContent(content, kept.query),
  };
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

/** The expected calibration error over redirects alone that lifted scores may have. */
const MAX_REDIRECT_ERROR = 0.045;
/** The fit has seen its sites: where they were left out, .03 less of the tenth from .7 was right (20 English sites). */
const UNSEEN = 0.03;

/**
 * Lifts scores (see {@link ChoiceCurve}), so that more paths are answered, as far as two things allow: the error of
 * {@link MAX_REDIRECT_ERROR}, and that of the redirects and mistyped paths in each tenth from .7 on at least that share
 * is right with which the tenth begins, and {@link UNSEEN} more.
 */
function liftScores(fitted: Calibration['suggest'], examples: readonly SuggestExample[]): Calibration['suggest'] {
  let lifted = fitted;
  for (let lift = 0.05; lift <= 0.6; lift += 0.05) {
    const next = { ...fitted, score: { ...fitted.score, lift: Math.round(lift * 100) / 100 } };
    const reliability = (...kinds: string[]): Reliability =>
      reliabilityOf(examples.filter(({ kind }) => kinds.includes(kind)).map((one) => judgeSuggest(next, one)));
    if (reliability('redirect').ece > MAX_REDIRECT_ERROR) break;
    if (reliability('redirect', 'typo').bins.some(({ from, right }) => from > 0.69 && right < from + UNSEEN)) break;
    lifted = next;
  }
  return lifted;
}

/**
 * Content alone seldom tells the one labelled page from its neighbours, several of which may answer a question. So
 * its score says less than suggest's: how probably the labelled page is among the three that are shown by default.
 */
function fitContent(
  examples: readonly ContentExample[],
  kept?: Weights<QuestionEvidence>,
): Ranking<QuestionEvidence, QuestionCurve> {
  const weigh = weightsOf(examples, ORDER.content);
  const weighScore = weightsOf(examples, SCORE.content);
  const rank =
    kept ??
    fitChoice(
      examples.map((example) => ({ weight: weigh(example), candidates: example.candidates })),
      QUESTION_EVIDENCE,
      noPrior<QuestionEvidence>(QUESTION_EVIDENCE),
    );
  const judged = examples.flatMap((example) => {
    const answers = byValue(rank, example);
    const y = Number(answers.slice(0, 3).some(({ right }) => right));
    const values = answers.map(({ value }) => value);
    const { kind } = example;
    return answers.length === 0
      ? []
      : [{ kind, values, cosine: bestCosine(rank, example), y, weight: weighScore(example) }];
  });
  return { rank, score: raiseQuestions(fitQuestionCurve(judged), judged) };
}

/** Of the answered questions at least this share has a labelled page among three. */
const MIN_RIGHT = 0.85;
/** Of questions that no page answers at most this share is answered. */
const MAX_FOREIGN = 0.02;

/**
 * Raises the scores of questions as far as both bounds allow, so that more in visitors' own words are answered at .7.
 * Of those few words are in the page, so that their share is small where they are right, too: of seven sites' questions
 * that scored .7 to .8, .89 had their page among three.
 */
function raiseQuestions(
  fitted: QuestionCurve,
  judged: readonly (JudgedQuestion & { kind: ContentExample['kind'] })[],
): QuestionCurve {
  const total = (of: readonly JudgedQuestion[], value = (one: JudgedQuestion): number => one.weight): number =>
    of.reduce((sum, one) => sum + value(one), 0);
  const isForeign = ({ kind }: { kind: string }): boolean => kind === 'foreign';
  const unanswerable = total(judged.filter(isForeign));
  // Without such questions nothing would hold it.
  if (unanswerable === 0) return fitted;
  let raised = fitted;
  for (let by = 0.05; by <= 1; by += 0.05) {
    const next = { ...fitted, intercept: Math.round((fitted.intercept + by) * 10_000) / 10_000 };
    const answered = judged.filter(
      ({ values, cosine }) => Math.max(...scoreQuestion(next, values, cosine)) >= DEFAULT_THRESHOLD,
    );
    const own = answered.filter((one) => !isForeign(one));
    if (total(own, ({ weight, y }) => weight * y) < MIN_RIGHT * total(own)) break;
    if (total(answered.filter(isForeign)) > MAX_FOREIGN * unanswerable) break;
    raised = next;
  }
  return raised;
}

/** The cosine of the best candidate's best chunk. */
function bestCosine(rank: Weights<QuestionEvidence>, { candidates }: ContentExample): number {
  const values = candidates.map(({ evidence }) => rankValue(rank, evidence));
  return candidates[values.indexOf(Math.max(...values))]?.evidence.dense ?? 0;
}

/** The candidates of one search, best first. */
export function byValue<E extends object>(
  weights: Weights<E>,
  example: { candidates: readonly { evidence: E; right: boolean }[] },
): { value: number; right: boolean }[] {
  return example.candidates
    .map(({ evidence, right }) => ({ value: weighEvidence(weights, evidence), right }))
    .sort((a, b) => b.value - a.value);
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
  );
  const max = example.looksLikeProbe ? MAX_DOUBTED_SCORE : 1;
  return judgement(sorted, sorted.length === 0 ? 0 : Math.min(max, score));
}

export function judgeQuery({ query }: Calibration, example: ContentExample): Judgement {
  const sorted = byValue(query.rank, example);
  const values = sorted.map(({ value }) => value);
  return judgement(sorted, scoreQuestion(query.score, values, bestCosine(query.rank, example))[0] ?? 0);
}

function judgement(sorted: readonly { right: boolean }[], score: number): Judgement {
  return { score, right: sorted[0]?.right ?? false, amongThree: sorted.slice(0, 3).some(({ right }) => right) };
}
