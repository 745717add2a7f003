import {
  rankValue,
  scoreAlone,
  scoreTogether,
  type Calibration,
  type ContentEvidence,
  type LogisticCurve,
  type PathAndContentEvidence,
  type Ranking,
  type Weights,
} from '#src/search/score.js';
import { MOST_FOR_PROBES } from '#src/search/suggest.js';
import type { ContentExample, Evidence, SuggestExample } from './collect-evidence.js';
import { fitChoice, fitChoiceCurve, fitCurve } from './fit.js';

const SUGGEST_NAMES: readonly (keyof PathAndContentEvidence)[] = [
  'words', 'liveInDead', 'pathTrigrams', 'nearCopy', 'slugTrigrams', 'slugEdit', 'prefix', 'depth', 'numbers', 'dense', 'lexical', 'slugLexical',
  'association',
];
const CONTENT_NAMES: readonly (keyof ContentEvidence)[] = ['dense', 'lexical'];

/** Sites weigh the same; of their kinds a redirect twice a typo, and junk as much as a redirect where scores are fitted. */
function weightsOf(examples: readonly SuggestExample[]): (example: SuggestExample) => number {
  const counts = new Map<string, number>();
  for (const { site, kind } of examples) counts.set(`${site} ${kind}`, (counts.get(`${site} ${kind}`) ?? 0) + 1);
  return ({ site, kind }) => (kind === 'typo' ? 1 : 2) / (counts.get(`${site} ${kind}`) ?? 1);
}

/** Fits everything on these examples. */
export function fitCalibration({ suggest, content }: Evidence): Calibration {
  const weigh = weightsOf(suggest);
  const rank = fitChoice(suggest.map((example) => ({ weight: weigh(example), candidates: example.candidates })), SUGGEST_NAMES);
  const judged = suggest.flatMap((example) => {
    if (example.looksLikeProbe) return [];
    const sorted = byValue(rank, example);
    return sorted.length === 0 ? [] : [{ values: sorted.map(({ value }) => value), right: sorted[0]?.right ?? false, weight: weigh(example) }];
  });
  return {
    suggest: { rank, score: fitChoiceCurve(judged) },
    pathAsText: fitContent(content.filter((one) => one.kind === 'path')),
    query: fitContent(content.filter((one) => one.kind === 'query')),
  };
}

/**
 * Content alone seldom tells the one labelled page from its neighbours, several of which may answer a question. So
 * its score says less than suggest's: how probably a page of this evidence is the labelled one in a pool of that page
 * and nine arbitrary ones of the site.
 */
function fitContent(examples: readonly ContentExample[]): Ranking<ContentEvidence, LogisticCurve> {
  const rank = fitChoice(examples.map(({ candidates }) => ({ weight: 1, candidates })), CONTENT_NAMES);
  const { slope, intercept } = fitCurve(
    examples.flatMap(({ pool }) => pool.map(({ evidence, right }) => ({ x: rankValue(rank, evidence), y: Number(right), weight: 1 }))),
  );
  return { rank, score: { slope, intercept } };
}

/** The candidates of one search, best first. */
export function byValue<E extends object>(
  weights: Weights<E>,
  example: { candidates: readonly { evidence: E; right: boolean }[] },
): { value: number; right: boolean }[] {
  return example.candidates.map(({ evidence, right }) => ({ value: rankValue(weights, evidence), right })).sort((a, b) => b.value - a.value);
}

/** Score and rightness of the first answer, and whether a right one is among the first three. */
export interface Judgement {
  score: number;
  right: boolean;
  amongThree: boolean;
}

export function judgeSuggest({ suggest }: Calibration, example: SuggestExample): Judgement {
  const sorted = byValue(suggest.rank, example);
  const [score = 0] = scoreTogether(suggest.score, sorted.map(({ value }) => value));
  return judgement(sorted, sorted.length === 0 ? 0 : example.looksLikeProbe ? Math.min(MOST_FOR_PROBES, score) : score);
}

export function judgeQuery({ query }: Calibration, example: ContentExample): Judgement {
  const sorted = byValue(query.rank, example);
  return judgement(sorted, sorted[0] ? scoreAlone(query.score, sorted[0].value) : 0);
}

function judgement(sorted: readonly { right: boolean }[], score: number): Judgement {
  return { score, right: sorted[0]?.right ?? false, amongThree: sorted.slice(0, 3).some(({ right }) => right) };
}
