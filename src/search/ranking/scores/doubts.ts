import type { DeadPath } from '../../../text/paths/dead-path.js';
import { readCertainty, type CertaintyFacts } from '../evidence/certainty-facts.js';
import type { LivePath } from '../evidence/page-path.js';
import type { Weights } from './calibration.js';
import { rankValue } from './score.js';

/** The words of a dead path that a page's path lacks, in one text for each of two {@link CertaintyFacts}. */
export type MissingWords = Partial<Record<keyof CertaintyFacts, string>>;

const MAX_WORDS = 3;
const MAX_LETTERS = 40;

/** Finds the missing words one by one, which takes longer than counting them: only for explanations. */
export function readMissingWords(
  { segments, words }: Pick<DeadPath, 'segments' | 'words'>,
  isWritten: (word: string) => boolean,
): (live: LivePath) => MissingWords {
  return (live) => {
    const list = (name: keyof CertaintyFacts): string =>
      [...new Set(words)]
        .filter((word) => readCertainty({ segments, words: [word], slug: [] }, [], isWritten)(live)[name] > 0)
        .slice(0, MAX_WORDS)
        .map((word) => word.slice(0, MAX_LETTERS))
        .join(', ');
    return { knownWordsMissing: list('knownWordsMissing'), unknownWordsMissing: list('unknownWordsMissing') };
  };
}

/** A fact that lowers the sureness by less is left out: so much lowers a score of .7 to .35. */
const CLEAR = -0.5;

export const BELOW = 'it stands below the path';

/** The texts for the facts that speak against a page. */
const TEXTS: Partial<Record<keyof CertaintyFacts, string>> = {
  leavesFolder: "the path's folder still has pages, and this one stands elsewhere",
  otherInFolder: 'it is another page of the same folder',
  isAncestor: 'it is a folder of the path',
  isBelow: BELOW,
  knownWordsMissing: 'its path lacks words that the site uses elsewhere: ',
  unknownWordsMissing: 'no page writes: ',
};

/** Describes what makes a page less sure, the strongest first; nothing for a slip, which makes up for it. */
export function describeDoubts(weights: Weights<CertaintyFacts>, facts: CertaintyFacts, words: MissingWords): string[] {
  if (rankValue(weights, facts) > CLEAR) return [];
  return (Object.keys(TEXTS) as (keyof CertaintyFacts)[])
    .map((name) => ({ text: `${TEXTS[name] ?? ''}${words[name] ?? ''}`, part: weights[name] * facts[name] }))
    .filter(({ part }) => part <= CLEAR)
    .sort((a, b) => a.part - b.part)
    .map(({ text }) => text);
}

/** Tells that the share of gone paths holds a page below a boundary. `usual`: its score at the usual share. */
export function describeHeld(score: number, usual: number): string[] {
  const isHeld = [0.7, 0.9].some((boundary) => score <= boundary && usual > boundary);
  return isHeld ? ['many missing paths of this site are gone'] : [];
}

/** No page is near if the best score is below the first, and the three best together are below the second. */
const [NEAR, NEAR_TOGETHER] = [0.1, 0.2];
/**
 * Below this score, a path is proposed as gone if the best page is another one of its folder and lacks words of the
 * path. Of pages that were taken off their sites 60% are proposed, of redirected paths 4%, of mistyped ones .5%
 * (docs/evidence/relevance.md).
 */
const LIKELY = 0.35;
/** So many pages of the folder fit equally if their sums differ from the best one by less than the second number. */
const [MANY_SIBLINGS, EQUAL_SUM] = [3, 1];

/** Tells from the scores of pages, best first, whether no page is near. */
export function isNoneNear(scores: readonly number[]): boolean {
  const [best = 0] = scores;
  return best < NEAR && scores.slice(0, 3).reduce((sum, score) => sum + score, 0) < NEAR_TOGETHER;
}

export const NONE_NEAR = 'no page is near';

/** Returns why a path is proposed as gone, or undefined. `ranked`: best first. `wasDeleted`: beside the best page. */
export function reasonOfGone(
  ranked: readonly { score: number; value: number; facts: CertaintyFacts }[],
  wasDeleted: boolean,
): string | undefined {
  const [best] = ranked;
  if (!best) return undefined;
  if (wasDeleted) return 'the page was here and was deleted';
  const { otherInFolder, knownWordsMissing: known, unknownWordsMissing: unknown } = best.facts;
  if (best.score < LIKELY && unknown === 1) return 'no page says this';
  if (best.score < LIKELY && otherInFolder === 1 && known + unknown > 0) {
    const equal = ranked.filter(({ value, facts }) => facts.otherInFolder === 1 && best.value - value < EQUAL_SUM);
    if (equal.length >= MANY_SIBLINGS) return `${equal.length} pages of its folder fit equally`;
    return 'pages of its folder are near, none is it';
  }
  // A folder without a page of its own leads to its pages.
  return best.facts.isBelow === 0 && isNoneNear(ranked.map(({ score }) => score)) ? NONE_NEAR : undefined;
}
