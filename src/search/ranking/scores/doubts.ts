import type { DeadPath } from '../../../text/paths/dead-path.js';
import { readCertainty, type CertaintyFacts } from '../evidence/certainty-facts.js';
import type { LivePath } from '../evidence/page-path.js';
import type { Weights } from './calibration.js';

/** The words of a dead path that a page's path lacks, as {@link CertaintyFacts} counts them. */
export interface MissingWords {
  known: readonly string[];
  unknown: readonly string[];
}

/** Finds them word by word, which takes longer than counting: only for explanations. */
export function readMissingWords(
  { segments, words }: Pick<DeadPath, 'segments' | 'words'>,
  isWritten: (word: string) => boolean,
): (live: LivePath) => MissingWords {
  return (live) => {
    const factsOf = (word: string): CertaintyFacts => readCertainty({ segments, words: [word] }, [], isWritten)(live);
    const all = [...new Set(words)].map((word) => ({ word, ...factsOf(word) }));
    return {
      known: all.filter((one) => one.knownWordsMissing > 0).map(({ word }) => word),
      unknown: all.filter((one) => one.unknownWordsMissing > 0).map(({ word }) => word),
    };
  };
}

/** What lowers a page's sureness less is not said. So much lowers a score of .7 to .35. */
const CLEAR = -0.5;
const MAX_WORDS = 3;
const MAX_LETTERS = 40;

/** What each fact says against a page. The others speak for it. */
const TEXTS: Partial<Record<keyof CertaintyFacts, (missing: MissingWords) => string>> = {
  leavesFolder: () => "the path's folder still has pages, and this one stands elsewhere",
  otherInFolder: () => 'it is another page of the same folder',
  isAncestor: () => 'it is a folder of the path',
  isBelow: () => 'it stands below the path',
  knownWordsMissing: ({ known }) => `its path lacks words that the site uses elsewhere: ${list(known)}`,
  unknownWordsMissing: ({ unknown }) => `no page writes: ${list(unknown)}`,
};

/** Says what makes a page less sure, the strongest first. */
export function describeDoubts(
  weights: Weights<CertaintyFacts>,
  facts: CertaintyFacts,
  missing: MissingWords,
): string[] {
  return (Object.keys(TEXTS) as (keyof CertaintyFacts)[])
    .map((name) => ({ name, part: weights[name] * facts[name] }))
    .filter(({ part }) => part <= CLEAR)
    .sort((a, b) => a.part - b.part)
    .flatMap(({ name }) => TEXTS[name]?.(missing) ?? []);
}

function list(words: readonly string[]): string {
  const more = words.length > MAX_WORDS ? ', …' : '';
  return `${words
    .slice(0, MAX_WORDS)
    .map((word) => word.slice(0, MAX_LETTERS))
    .join(', ')}${more}`;
}

/** Below, and three together below the second, no page is near. */
const [NEAR, NEAR_TOGETHER] = [0.1, 0.2];
/**
 * Below, a path that lacks words of its own in the best page is proposed as gone. Of pages that were taken off their
 * sites 54% are, of redirected paths 4% and of mistyped ones 1% (docs/evidence/relevance.md).
 */
const LIKELY = 0.35;
/** As many siblings fit about equally: their sums are within 1 of the best one. */
const MANY_SIBLINGS = 3;

/** Whether scores, best first, are those of pages of which none is near. */
export function isNoneNear(scores: readonly number[]): boolean {
  const [best = 0] = scores;
  return best < NEAR && scores.slice(0, 3).reduce((sum, score) => sum + score, 0) < NEAR_TOGETHER;
}

export const NONE_NEAR = 'no page is near';

/**
 * Why a dead path is proposed as gone; undefined: it is not.
 * @param scores of all candidates, best first
 * @param siblings how many pages of the path's folder fit about as well as the best page
 */
export function reasonOfGone(
  scores: readonly number[],
  facts: CertaintyFacts,
  wasDeleted: boolean,
  siblings: number,
): string | undefined {
  if (wasDeleted) return 'the page was here and was deleted';
  const isLikely = (scores[0] ?? 0) >= LIKELY;
  if (!isLikely && facts.unknownWordsMissing === 1) return 'no page says this';
  if (!isLikely && facts.otherInFolder === 1 && facts.unknownWordsMissing + facts.knownWordsMissing > 0)
    return siblings >= MANY_SIBLINGS
      ? `${siblings} pages of its folder fit equally`
      : 'pages of its folder are near, none is it';
  return isNoneNear(scores) ? NONE_NEAR : undefined;
}
