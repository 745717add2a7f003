import type { ContentEvidence } from '#src/database/queries/search/by-content.js';
import type {
  Calibration,
  StandingCurve,
  PathAndContentEvidence,
  Ranking,
  Weights,
} from '#src/search/rank/calibration.js';
import {
  logLength,
  movesValue,
  rankValue,
  scoreByStanding,
  scoreByChoice,
  tenthBest,
  cappedTenth,
} from '#src/search/rank/score.js';
import { MAX_DOUBTED_SCORE } from '#src/search/rank/ranked.js';
import type { ContentExample, Evidence, SuggestExample } from './collect-evidence.js';
import { fitChoice, fitChoiceCurve, fitLogistic } from './fit.js';

const SUGGEST_NAMES: readonly (keyof PathAndContentEvidence)[] = [
  'words',
  'pathTrigrams',
  'nearCopy',
  'slugTrigrams',
  'slugEdit',
  'prefix',
  'depth',
  'numbers',
  'dense',
  'beginning',
  'lexical',
  'slugLexical',
  'association',
  'noOtherNumber',
  'sameLanguage',
  'folderTrigrams',
  'slugIsFolder',
  'slugWithin',
  'shallow',
  'redirectedSection',
  'redirectedFolder',
  'redirectedPage',
  'renamedWords',
];
const CONTENT_NAMES: readonly (keyof ContentEvidence)[] = ['dense', 'beginning', 'lexical'];

/**
 * Sites weigh the same. Of their kinds mistyped paths weigh most: they are surely answerable. With less (1 in
 * place of 3) .968 of them were right in place of .972, and .001 more of the redirects.
 */
function weightsOf(examples: readonly SuggestExample[]): (example: SuggestExample) => number {
  const counts = new Map<string, number>();
  for (const { site, kind } of examples) counts.set(`${site} ${kind}`, (counts.get(`${site} ${kind}`) ?? 0) + 1);
  return ({ site, kind }) => (kind === 'typo' ? 3 : 2) / (counts.get(`${site} ${kind}`) ?? 1);
}

/**
 * Fits everything on these examples. `queryRank`: weights of questions that are kept; only their curve is fitted. With
 * titles on top of the content, a page's beginning is its title, and a fit makes so much of it (4.3 in place of 1.9)
 * that what stands at the end of a long page is no longer found. Of questions .559 in place of .551 are right.
 */
export function fitCalibration({ suggest, content }: Evidence, queryRank?: Weights<ContentEvidence>): Calibration {
  const weigh = weightsOf(suggest);
  const rank = fitChoice(
    suggest.map((example) => ({
      weight: weigh(example),
      candidates: example.candidates.map((one) => ({ ...one, base: baseOf(one.evidence) })),
    })),
    SUGGEST_NAMES,
  );
  const judged = suggest.flatMap((example) => {
    if (example.looksLikeProbe) return [];
    const sorted = byValue(rank, example);
    return sorted.length === 0
      ? []
      : [{ values: sorted.map(({ value }) => value), right: sorted[0]?.right ?? false, weight: weigh(example) }];
  });
  return {
    suggest: { rank, score: fitChoiceCurve(judged) },
    pathAsText: fitContent(content.filter((one) => one.kind === 'path')),
    query: fitContent(
      content.filter((one) => one.kind === 'query'),
      queryRank,
    ),
  };
}

/**
 * Content alone seldom tells the one labelled page from its neighbours, several of which may answer a question. So
 * its score says less than suggest's: how probably the labelled page is among the three that are shown by default.
 */
function fitContent(
  examples: readonly ContentExample[],
  kept?: Weights<ContentEvidence>,
): Ranking<ContentEvidence, StandingCurve> {
  const rank =
    kept ??
    fitChoice(
      examples.map(({ candidates }) => ({ weight: 1, candidates })),
      CONTENT_NAMES,
    );
  const sorted = examples.map((example) => ({ example, answers: byValue(rank, example) }));
  const tenths = sorted.map(({ answers }) => tenthBest(answers.map(({ value }) => value))).sort((a, b) => a - b);
  const usual = Math.round((tenths[Math.floor(0.9 * tenths.length)] ?? 0) * 100) / 100;
  const outcomes = sorted.flatMap(({ example, answers }) => {
    const values = answers.map(({ value }) => value);
    const standing = (values[0] ?? 0) - cappedTenth(usual, values);
    const y = Number(answers.slice(0, 3).some(({ right }) => right));
    return answers.length === 0 ? [] : [{ x: [standing, logLength(example.words)], y, weight: 1 }];
  });
  const {
    weights: [slope = 1, length = 0],
    intercept,
  } = fitLogistic(outcomes);
  return { rank, score: { usual, slope, length, intercept } };
}

/** What moves add to the sum, in which no weight is fitted. */
function baseOf(evidence: object): number {
  const moved = 'moved' in evidence ? Number(evidence.moved) : 0;
  return movesValue(moved, moved);
}

/** What orders candidates, as in a search. */
export function valueOf<E extends object>(weights: Weights<E>, evidence: E): number {
  return rankValue(weights, evidence) + baseOf(evidence);
}

/** The candidates of one search, best first. */
export function byValue<E extends object>(
  weights: Weights<E>,
  example: { candidates: readonly { evidence: E; right: boolean }[] },
): { value: number; right: boolean }[] {
  return example.candidates
    .map(({ evidence, right }) => ({ value: valueOf(weights, evidence), right }))
    .sort((a, b) => b.value - a.value);
}

/** Score and rightness of the first answer, and whether a right one is among the first three. */
export interface Judgement {
  score: number;
  right: boolean;
  amongThree: boolean;
}

export function judgeSuggest({ suggest }: Calibration, example: SuggestExample): Judgement {
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
  return judgement(
    sorted,
    scoreByStanding(
      query.score,
      sorted.map(({ value }) => value),
      example.words,
    )[0] ?? 0,
  );
}

function judgement(sorted: readonly { right: boolean }[], score: number): Judgement {
  return { score, right: sorted[0]?.right ?? false, amongThree: sorted.slice(0, 3).some(({ right }) => right) };
}
