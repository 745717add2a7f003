import { hashFnv1a } from '../../../text/hash-fnv1a.js';
import { stem } from '../../../text/words/stem.js';
import { WordLikeness } from '../../../text/words/word-likeness.js';
import { firstTokens, type HeadingReader, type HeadingWord } from './heading-words.js';

/** Evidence from the comparison of a question with the headings of a page; each 0 to 1. */
export interface HeadingEvidence {
  /**
   * How much of the first line the question has, the mean of its words' likeness to the question's: high for a short
   * heading that the question names.
   */
  headingCover: number;
  /**
   * Of the heading that fits best, the first line or one further down: the share of its words that the question has,
   * times the share of the question's weight that it has.
   */
  bestHeading: number;
}

export interface Headed {
  /** The first line. */
  heading: string;
  /** The others, see {@link readHeadings}. */
  headings: string;
}

/** As many words of a question are searched for (src/text/words/terms.ts). */
const MAX_QUESTION_WORDS = 64;

/**
 * A question, prepared once for comparison with the headings of many pages. What a page gets depends on no other page:
 * a filter must not change the order of those that it leaves. Takes time linear in the headings' length.
 * @param weigh the weight of a word of the question, by its rarity on the site.
 * @param read reads the words of a first line.
 */
export function prepareQuestion(
  question: string,
  weigh: (word: string) => number,
  read: HeadingReader,
): (page: Headed) => HeadingEvidence {
  const asked = firstTokens(question, MAX_QUESTION_WORDS);
  const shares = sharesOf(asked, weigh);
  const shareOf = new Map(Array.from(shares, ([one, share]) => [hashFnv1a(one), share]));
  const likeness = new WordLikeness(asked);
  const known = new Map<HeadingWord, number>();
  /** The likeness to the question's word that is most alike, 1 for the same stem. */
  const likenessOf = (word: HeadingWord): number => {
    let found = known.get(word);
    if (found === undefined) known.set(word, (found = shares.has(word.stem) ? 1 : likeness.of(word.trigrams)));
    return found;
  };
  return ({ heading, headings }) => {
    const words = read(heading);
    let [sum, common, share] = [0, 0, 0];
    for (const word of words) {
      sum += likenessOf(word);
      const own = shareOf.get(word.hash);
      if (own === undefined) continue;
      common++;
      share += own;
    }
    const count = Math.max(1, words.length);
    return {
      headingCover: sum / count,
      bestHeading: Math.max((common / count) * share, fitOf(headings, shareOf)),
    };
  };
}

const [SPACE, LINE_END] = [32, 10];

/**
 * `bestHeading` of {@link HeadingEvidence}, of headings one a line, as words between spaces. `shareOf`: shares by the
 * hash of a word. Words are hashed as they are read: making strings of them took five times as long.
 */
function fitOf(headings: string, shareOf: ReadonlyMap<number, number>): number {
  let best = 0;
  let [start, words, common, share] = [0, 0, 0, 0];
  for (let at = 0; at <= headings.length; at++) {
    const code = at < headings.length ? headings.charCodeAt(at) : LINE_END;
    if (code !== SPACE && code !== LINE_END) continue;
    words++;
    const own = shareOf.get(hashFnv1a(headings, start, at));
    start = at + 1;
    if (own !== undefined) {
      common++;
      share += own;
    }
    if (code === SPACE) continue;
    best = Math.max(best, (common / words) * share);
    [words, common, share] = [0, 0, 0];
  }
  return best;
}

/** The share of each word's stem in the weight of all. */
function sharesOf(words: readonly string[], weigh: (word: string) => number): Map<string, number> {
  const weights = new Map<string, number>();
  for (const word of words) {
    const one = stem(word);
    weights.set(one, Math.max(weights.get(one) ?? 0, weigh(word)));
  }
  let total = 0;
  for (const weight of weights.values()) total += weight;
  if (total > 0) for (const [one, weight] of weights) weights.set(one, weight / total);
  return weights;
}
