import type { PathWords } from '../../../base/glossary.js';
import { editDistance } from '../../../text/words/likeness.js';
import { typingCost, inflect, joinWords, maxEdits, splitInTwo, unspell } from './word-readings.js';

export interface UnderstoodPath {
  words: PathWords;
  corrections: Correction[];
  /** The vocabulary's counts that were read for this. */
  counts: ReadonlyMap<string, number>;
}

/** A word of the vocabulary and the number of pages with it. */
interface NearWord {
  word: string;
  pages: number;
}

export interface Correction {
  from: string;
  to: string;
}

/** The knowledge of words by which a path is corrected: see {@link correctSpelling}. */
interface KnownWords {
  known: ReadonlyMap<string, number>;
  near: ReadonlyMap<string, readonly NearWord[]>;
  isReal: (word: string) => boolean;
}

/**
 * The weight of typing cost against frequency in the noisy channel model: log(1 + pages) - weight * cost (Kernighan,
 * Church and Gale 1990). One edit costs as much as e^4, some 55, times fewer pages.
 */
const EDIT_WEIGHT = 4;
/** The cost of a missing space. Higher than that of common slips, or `modeis` would become `mode is`, not `models`. */
const MISSING_SPACE_COST = 0.8;
/** The extra cost of a short part, because short words match anything: `isand`, `meetin`. */
const SHORT_PART_COST = 0.5;

function pagesOf(word: string, known: ReadonlyMap<string, number>): number {
  return Math.max(...inflect(word).map((form) => known.get(form) ?? 0));
}

/** Numbers and single letters count as known, since their typos cannot be detected. */
function isKnown(word: string, known: ReadonlyMap<string, number>): boolean {
  return /^\p{N}+$/u.test(word) || word.length < 2 || pagesOf(word, known) > 0;
}

/** Cost of a common slip in a real word: a neighbouring key, a letter doubled or not, two letters swapped. */
const ORDINARY_SLIP = 0.7;

/** The noisy channel's log-probability, up to a constant. */
function likelihood(pages: number, cost: number): number {
  return Math.log1p(pages) - EDIT_WEIGHT * cost;
}

function digitsOf(word: string): string {
  return word.replace(/\P{Nd}+/gu, ' ').trim();
}

/**
 * Finds the most likely reading of a word that the site lacks: a near word, or two words without their space; undefined
 * if none fits. A real word (`isReal`) is rarely a misspelt one: `shipping` means what it says, though the site writes
 * `delivery`, and is not `chipping`.
 */
function findBestReading(word: string, { known, near, isReal }: KnownWords): string[] | undefined {
  const isRealWord = isReal(word);
  let best: string[] | undefined;
  let bestLikelihood = -Infinity;
  const offer = (reading: string[], value: number): void => {
    if (value > bestLikelihood) [best, bestLikelihood] = [reading, value];
  };
  const allowed = maxEdits(word);
  for (const { word: other, pages } of near.get(word) ?? []) {
    if (other.length < 4 || digitsOf(other) !== digitsOf(word) || editDistance(word, other) > allowed) continue;
    const cost = typingCost(word, other);
    if (!isRealWord || cost <= ORDINARY_SLIP) offer([other], likelihood(pages, cost));
  }
  for (const [left, right] of isRealWord ? [] : splitInTwo(word)) {
    const spelled = [left, right].filter((part) => !/^\d+$/.test(part));
    const pages = Math.min(...spelled.map((part) => pagesOf(part, known)));
    const partCost = spelled.some((part) => part.length < 4) ? SHORT_PART_COST : 0;
    if (pages > 0) offer([left, right], likelihood(pages, MISSING_SPACE_COST + partCost));
  }
  return best;
}

/** Finds the reading of a word that is unknown, or that pages write with other letters; undefined to leave the word. */
function readingOf(word: string, site: KnownWords): string[] | undefined {
  const { known } = site;
  const written = unspell(word).find((spelling) => (known.get(spelling) ?? 0) > pagesOf(word, known));
  if (written !== undefined) return [written];
  return isKnown(word, known) ? undefined : findBestReading(word, site);
}

/**
 * Tells whether two neighbours should be one word: the vocabulary has the joined word, and either lacks a part or has
 * the joined word on as many pages as the rarer part. So `data base` is joined where the site writes `database`, but a
 * few `plainlanguage` in urls do not join `plain language`.
 */
function shouldJoin(left: string, right: string, known: ReadonlyMap<string, number>): boolean {
  const join = joinWords(left, right);
  const pages = join === undefined ? 0 : pagesOf(join, known);
  if (pages === 0) return false;
  const rarer = Math.min(pagesOf(left, known), pagesOf(right, known));
  return rarer === 0 || (left.length > 2 && right.length > 2 && pages >= 2 && pages >= rarer);
}

function correctRun(words: string[], site: KnownWords): { words: string[]; corrections: Correction[] } {
  const result: string[] = [];
  const corrections: Correction[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? '';
    const next = words[i + 1] ?? '';
    if (shouldJoin(word, next, site.known)) {
      corrections.push({ from: `${word} ${next}`, to: word + next });
      result.push(word + next);
      i++;
      continue;
    }
    const reading = readingOf(word, site);
    if (reading) corrections.push({ from: word, to: reading.join(' ') });
    result.push(...(reading ?? [word]));
  }
  return { words: result, corrections };
}

/**
 * Corrects a path's words by the project's vocabulary. `known`: the pages of each of `readingsToLookUp`. `near`: for
 * the unknown `correctableWords`, the vocabulary words within Levenshtein distance 2. `isReal`: whether the model has a
 * word whole, so that somebody writes it. Known words, and words without a good correction, are unchanged.
 */
export function correctSpelling(
  words: PathWords,
  known: ReadonlyMap<string, number>,
  near: ReadonlyMap<string, readonly NearWord[]>,
  isReal: (word: string) => boolean,
): { words: PathWords; corrections: Correction[] } {
  const site = { known, near, isReal };
  // The slug is corrected apart from the folders before it, so that their words never join.
  const head = correctRun(words.words.slice(0, words.words.length - words.slug.length), site);
  const slug = correctRun(words.slug, site);
  return {
    words: { words: [...head.words, ...slug.words], slug: slug.words },
    corrections: [...head.corrections, ...slug.corrections],
  };
}
