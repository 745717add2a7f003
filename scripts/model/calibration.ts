import {
  UNCALIBRATED,
  type Calibration,
  type PathAndContentEvidence,
  type QuestionEvidence,
  type SuggestEvidence,
  type QuestionCurve,
  type Ranking,
  type Weights,
} from '#src/search/ranking/scores/calibration.js';
import { fitChoice, type Prior } from './fit-choice-model.js';
import { rankValue } from '#src/search/ranking/scores/score.js';
import type { ContentExample, Evidence, SuggestExample } from './collect-evidence.js';
import { fitChoiceCurve, fitQuestionCurve, weighMoves, type Judged } from './fit.js';
import { byValue, readFacts } from './judge.js';
import { placeQuestionPoints } from './place-points.js';

/** The kinds of evidence that are weighed. */
const SUGGEST_EVIDENCE = Object.keys(UNCALIBRATED.suggest.rank) as (keyof PathAndContentEvidence)[];
const QUESTION_EVIDENCE = Object.keys(UNCALIBRATED.query.rank) as (keyof QuestionEvidence)[];

type Shares = Partial<Record<Example['kind'], number>>;

/**
 * The weights of the kinds of cases where candidates are put in order; all sites weigh the same. Mistyped paths weigh
 * most, since they are surely answerable. Paths in visitors' own words are fewer than redirects and gain more: with 3
 * in place of 1 .396/.625 of those of seven sites left out are right in place of .375/.596, of the redirects .787 in
 * place of .791.
 */
const ORDER = {
  suggest: { redirect: 2, known: 2, typo: 5, meant: 3 },
  content: { query: 1, path: 1, meant: 1.5 },
} satisfies Record<string, Shares>;

/**
 * The weights of the kinds where scores are fitted. Of dead paths a third moved, a third is mistyped and a third was
 * taken off; the other kinds, with less weight, hold the curve where these three show nothing.
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

/** These weights are not fitted again; only weights that those of suggest lack are fitted. */
export interface KeptRanks {
  suggest?: { rank: Partial<Weights<PathAndContentEvidence>> };
  query?: Weights<QuestionEvidence>;
  /** Weights of suggest to which those that are fitted are pulled, see {@link PRIOR_STRENGTH}. */
  prior?: Weights<PathAndContentEvidence>;
}

/**
 * The pull is weak: it decides only where few sites do. Of the 21 sites one alone has paths in several languages, and
 * the weight of `sameLanguage` is 3.2 with it and 0 without it.
 */
const PRIOR_STRENGTH = 1e-3;
/** Steps of a fit that begins with weights of 1, and of one that begins with a prior, which is near already. */
const [STEPS, STEPS_FROM_PRIOR] = [300, 120];

/** Without weights to pull to, a little ridge keeps what the data does not decide small. */
function noPrior<E extends object>(names: readonly (keyof E)[]): Prior<E> {
  const all = (value: number): Weights<E> => Object.fromEntries(names.map((name) => [name, value])) as Weights<E>;
  return { weights: all(0), strength: 1e-4, start: all(1), steps: STEPS };
}

/**
 * Fits everything on these examples. Where weights of questions are kept, only their curve is fitted. They are kept
 * because of titles on top of the content: a page's beginning is its title then, and a fit makes so much of it (4.3 in
 * place of 1.9) that what stands at the end of a long page is no longer found. Of questions .559 in place of .551 are
 * right.
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
      candidates: example.candidates.map((candidate) => ({
        ...candidate,
        base:
          weighMoves(candidate.evidence) + rankValue(keptRank as Weights<PathAndContentEvidence>, candidate.evidence),
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
    // A case whose score has a bound shows nothing about the curve.
    if (best === undefined || weight === 0 || example.looksLikeProbe || best.isContradicted) return [];
    return [
      { values: sorted.map(({ value }) => value), facts: readFacts(example, best.path), right: best.right, weight },
    ];
  };
  const curve = fitChoiceCurve(suggest.flatMap(judge));
  return { rank, score: { ...curve, points: UNCALIBRATED.suggest.score.points } };
}

/**
 * Fits the calibration of searches by content alone. Where weights of questions are kept, only their curve is fitted.
 */
export function fitByContent(
  content: readonly ContentExample[],
  kept?: Weights<QuestionEvidence>,
): Pick<Calibration, 'pathAsText' | 'query'> {
  const of = (...kinds: ContentExample['kind'][]): ContentExample[] =>
    content.filter(({ kind }) => kinds.includes(kind));
  const [paths, questions] = [of('path'), of('query', 'meant', 'foreign')];
  // A search without cases keeps the calibration of a model without one.
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
 * Adds each answerable question once more, as if its right pages were taken off: the next best page is a plausible
 * answer then, and wrong (SQuAD 2.0: Rajpurkar and others 2018, "Know what you don't know").
 */
function withTakenOff(examples: readonly ContentExample[]): ContentExample[] {
  return examples.flatMap((example) => {
    const wrong = example.candidates.filter(({ right }) => !right);
    return wrong.length === example.candidates.length
      ? [example]
      : [example, { ...example, kind: 'gone', candidates: wrong }];
  });
}

/** Fits the scores of searches by content. */
export function fitQuestionScores(
  rank: Weights<QuestionEvidence>,
  contentExamples: readonly ContentExample[],
): Ranking<QuestionEvidence, QuestionCurve> {
  const examples = withTakenOff(contentExamples);
  const weigh = weightsOf(examples, SCORE.content);
  const judged = examples.flatMap((example) => {
    const answers = byValue(rank, example);
    const [best] = answers;
    if (best === undefined) return [];
    const values = answers.map(({ value }) => value);
    return [{ kind: example.kind, values, page: best.evidence, right: best.right, weight: weigh(example) }];
  });
  if (judged.length === 0) return { rank, score: UNCALIBRATED.query.score };
  const curve = fitQuestionCurve(judged);
  return { rank, score: { ...curve, points: placeQuestionPoints(curve, judged) } };
}
