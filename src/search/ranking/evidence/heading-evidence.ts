import { hashFnv1a } from '../../../text/hash-fnv1a.js';
import { stem } from '../../../text/words/word-forms.js';
import { trigramsOf } from '../../../text/words/likeness.js';
import { LRUCache } from 'lru-cache';
import { contentTokens } from '../../../text/words/split-words.js';

/** Evidence from the comparison of a question with the headings of a page; each 0 to 1. */
export interface HeadingEvidence {
  /** The mean likeness of the first line's words to those of the question: high for a short heading it names. */
  headingCover: number;
  /** The share of the best heading's words that the question has, times the share of its weight that they have. */
  bestHeading: number;
}

interface Headed {
  /** The first line of the page. */
  heading: string;
  /** The other headings, see {@link readHeadings}. */
  headings: string;
}

/** A search uses so many words of a question, too (src/text/words/terms.ts). */
const MAX_QUESTION_WORDS = 64;

/**
 * Prepares a question for comparison with the headings of many pages, of each by itself: a filter must not change the
 * order of those that it leaves. `weigh`: by a word's rarity on the site. `read`: the words of a first line.
 */
export function prepareQuestion(
  question: string,
  weigh: (word: string) => number,
  read: HeadingReader,
): (page: Headed) => HeadingEvidence {
  const questionWords = firstTokens(question, MAX_QUESTION_WORDS);
  const shares = sharesOf(questionWords, weigh);
  const shareOf = new Map(Array.from(shares, ([term, share]) => [hashFnv1a(term), share]));
  const likenessTo = prepareLikeness(questionWords);
  const known = new Map<HeadingWord, number>();
  /** Returns the likeness to that word of the question which is most alike, 1 for the same stem. */
  const likenessOf = (word: HeadingWord): number => {
    let alike = known.get(word);
    if (alike === undefined) known.set(word, (alike = shares.has(word.stem) ? 1 : likenessTo(word.trigrams)));
    return alike;
  };
  return ({ heading, headings }) => {
    const words = read(heading);
    let [sum, common, share] = [0, 0, 0];
    for (const word of words) {
      sum += likenessOf(word);
      const wordShare = shareOf.get(word.hash);
      if (wordShare === undefined) continue;
      common++;
      share += wordShare;
    }
    const count = Math.max(1, words.length);
    return {
      headingCover: sum / count,
      bestHeading: Math.max((common / count) * share, fitOf(headings, shareOf)),
    };
  };
}

const [SPACE, LINE_END] = [32, 10];

/** Computes `bestHeading` for headings, one a line. Words are hashed as they are read: strings took 5 times as long. */
function fitOf(headings: string, shareOf: ReadonlyMap<number, number>): number {
  let best = 0;
  let [start, words, common, share] = [0, 0, 0, 0];
  for (let at = 0; at <= headings.length; at++) {
    const code = at < headings.length ? headings.charCodeAt(at) : LINE_END;
    if (code !== SPACE && code !== LINE_END) continue;
    words++;
    const wordShare = shareOf.get(hashFnv1a(headings, start, at));
    start = at + 1;
    if (wordShare !== undefined) {
      common++;
      share += wordShare;
    }
    if (code === SPACE) continue;
    best = Math.max(best, (common / words) * share);
    [words, common, share] = [0, 0, 0];
  }
  return best;
}

/** Returns the share of each word's stem in the weight of all. */
function sharesOf(words: readonly string[], weigh: (word: string) => number): Map<string, number> {
  const weights = new Map<string, number>();
  for (const word of words) {
    const term = stem(word);
    weights.set(term, Math.max(weights.get(term) ?? 0, weigh(word)));
  }
  let total = 0;
  for (const weight of weights.values()) total += weight;
  if (total > 0) for (const [term, weight] of weights) weights.set(term, weight / total);
  return weights;
}

/** Words that are less alike are so by chance. */
const MIN_LIKENESS = 0.3;

/** Prepares words for comparison with others by Dice's coefficient: `forecaster` is like `forecasting`. */
function prepareLikeness(words: readonly string[]): (trigrams: readonly number[]) => number {
  /** The places of the words that have a trigram. */
  const wordsWith = new Map<number, number[]>();
  const sizes = words.map((word, at) => {
    const trigrams = trigramsOf(word);
    for (const trigram of trigrams) {
      const places = wordsWith.get(trigram);
      if (places) places.push(at);
      else wordsWith.set(trigram, [at]);
    }
    return trigrams.length;
  });
  // An array that is filled again and again: maps, one a word, were a third of a question's garbage.
  const common = new Uint16Array(words.length);
  return (trigrams) => {
    common.fill(0);
    for (const trigram of trigrams) {
      const places = wordsWith.get(trigram);
      if (places) for (const at of places) common[at] = (common[at] ?? 0) + 1;
    }
    let best = 0;
    for (let at = 0; at < common.length; at++)
      best = Math.max(best, (2 * (common[at] ?? 0)) / ((sizes[at] ?? 0) + trigrams.length));
    // A trigram that one of the words has twice counts twice.
    return best < MIN_LIKENESS ? 0 : Math.min(1, best);
  };
}

/** A word of a first line, read once for the comparison with many questions. */
interface HeadingWord {
  stem: string;
  /** The hash of the stem, as the words of the other headings are compared. */
  hash: number;
  trigrams: readonly number[];
}

/** Reads the words of a first line, {@link MAX_WORDS} at most, the last of each stem. Equal words are one object. */
export type HeadingReader = (heading: string) => readonly HeadingWord[];

/** More words than a heading has: a first line may be a whole text. */
const MAX_WORDS = 24;
/** A line takes some .5 kB: the first lines of the same pages are compared with many questions (decision 0040). */
const MAX_LINES = 4_096;
/** Longer first lines, which titles may be, are not cached. */
const MAX_CACHED_LENGTH = 256;
/** A word takes some .3 kB. */
const MAX_KNOWN_WORDS = 16_384;

/** Reads first lines, and remembers them and their words. */
export function createHeadingReader(): HeadingReader {
  const lines = new LRUCache<string, readonly HeadingWord[]>({ max: MAX_LINES });
  const words = new LRUCache<string, HeadingWord>({ max: MAX_KNOWN_WORDS });
  function readWord(text: string): HeadingWord {
    let word = words.get(text);
    if (word === undefined) {
      const root = stem(text);
      words.set(text, (word = { stem: root, hash: hashFnv1a(root), trigrams: trigramsOf(text) }));
    }
    return word;
  }
  return (heading) => {
    const known = lines.get(heading);
    if (known) return known;
    const byStem = new Map<string, HeadingWord>();
    for (const word of firstTokens(heading, MAX_WORDS).map(readWord)) byStem.set(word.stem, word);
    const line = [...byStem.values()];
    if (heading.length <= MAX_CACHED_LENGTH) lines.set(heading, line);
    return line;
  };
}

/** The first of a text's {@link contentTokens}. */
function firstTokens(text: string, max: number): string[] {
  const tokens: string[] = [];
  for (const token of contentTokens(text)) if (tokens.push(token) === max) break;
  return tokens;
}
