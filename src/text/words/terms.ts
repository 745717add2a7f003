import { fnv1a } from '../fnv1a.js';
import { characterPairs, codesOf, contentTokens, vocabularyOfPage } from './content-words.js';
import { UNSPACED } from './split-words.js';
import { plural, singular, stem } from './stem.js';

/** Terms by number, as sparse vectors have them: 1 to MAX_TERM_ID (pgvector's greatest dimension). */
export type TermWeights = ReadonlyMap<number, number>;

export const MAX_TERM_ID = 1_000_000_000;

/**
 * Okapi BM25 (Robertson and Zaragoza 2009, section 3) with its two halves kept apart: a page stores how well it
 * covers each term, tf / (tf + k1 * (1 - b + b * length / PIVOT)), between 0 and 1; the question brings the inverse
 * document frequencies, which change with every page. The inner product is the score. PIVOT stands for the average
 * length, so that a page's weights do not change with its neighbours. The constants and the weight of a page's
 * beginning were chosen by measurement, see docs/relevance.md.
 */
const K1 = 4;
const B = 0.5;
const PIVOT = 600;

/** A page says first what it is about: its first words count so many times more, each list on top of the others. */
const BEGINNING: readonly (readonly [words: number, more: number])[] = [
  [100, 2],
  [30, 3],
  [10, 4],
];

/** Two terms of a site share a number about once in a million pairs. */
function termId(term: string): number {
  return (fnv1a(term) % MAX_TERM_ID) + 1;
}

/** Accents of Latin letters are dropped: visitors type `cafe` for `café`. */
function withoutAccents(word: string): string {
  return /^[\x00-\x7F]*$/.test(word)
    ? word
    : word
        .normalize('NFD')
        .replace(/(\p{Script=Latin})\p{M}+/gu, '$1')
        .normalize('NFC');
}

/** The number under which a word is kept: forms of a word share it. */
export function termOf(word: string): number {
  return termId(stem(withoutAccents(word)));
}

/**
 * What a page's content is found by: the distinct words and codes that it adds to the vocabulary, and how well it
 * covers each term.
 */
export interface PageWords {
  words: ReadonlySet<string>;
  terms: TermWeights;
}

/** The words of a page, read once. Linear in the content's length. */
export function readPageWords(content: string): PageWords {
  const times = new Map<string, number>();
  let length = 0;
  const add = (word: string, more: number): void => {
    times.set(word, (times.get(word) ?? 0) + more);
    length += more;
  };
  let at = 0;
  for (const word of contentTokens(content)) {
    let weight = 1;
    for (const [words, more] of BEGINNING) if (at < words) weight += more;
    add(word, weight);
    at++;
  }
  for (const code of codesOf(content)) add(code, 1);
  const counts = new Map<number, number>();
  for (const [word, count] of times) {
    const term = termOf(word);
    counts.set(term, (counts.get(term) ?? 0) + count);
  }
  const saturation = K1 * (1 - B + (B * length) / PIVOT);
  for (const [term, count] of counts) counts.set(term, count / (count + saturation));
  return { words: vocabularyOfPage(times.keys()), terms: counts };
}

/** How well a page's content covers each of its terms, 0 to 1. */
export function pageTerms(content: string): TermWeights {
  return readPageWords(content).terms;
}

/** More words than any sensible question has: what is behind them is left to the vector. */
const MAX_WORDS = 64;

/**
 * The distinct words of a question as they are looked up; a code only counts beside its parts where the site has it.
 */
export function searchedWords(text: string): { words: string[]; codes: string[] } {
  return {
    words: [...new Set(contentTokens(text))].slice(0, MAX_WORDS),
    codes: [...new Set(codesOf(text))].slice(0, MAX_WORDS),
  };
}

/** A path's words as terms are made of them: runs of scripts without spaces in pairs, single letters left out. */
export function pathTerms(words: readonly string[]): string[] {
  const terms = words.flatMap((word) =>
    word.replace(UNSPACED, '') === '' ? [...characterPairs(word)] : word.length > 1 ? [word] : [],
  );
  return [...new Set(terms)].slice(0, MAX_WORDS);
}

/** The vocabulary words that say how common a word's term is. */
export function wordForms(word: string): string[] {
  return [...new Set([word, singular(word), plural(word), stem(word)])];
}

/**
 * BM25's inverse document frequency, log(1 + (N - d + 0.5) / (d + 0.5)), of a word on d of N pages, scaled so that a
 * word that no page has weighs 1.
 */
export function termWeight(holding: number, pages: number): number {
  const d = Math.min(holding, pages);
  return Math.log(1 + (pages - d + 0.5) / (d + 0.5)) / Math.log(1 + (pages + 0.5) / 0.5);
}

/**
 * The weights of a question's terms, with a sum of 1 over all its words, those that the site does not know included:
 * so the inner product with a page's terms says which share of the question the page covers, 0 to 1.
 */
export function searchedTerms(
  words: readonly string[],
  codes: readonly string[],
  weigh: (word: string) => number,
  isKnown: (word: string) => boolean,
): TermWeights {
  const weights = new Map<number, number>();
  for (const word of [...words, ...codes.filter(isKnown)]) {
    const term = termOf(word);
    weights.set(term, Math.max(weights.get(term) ?? 0, weigh(word)));
  }
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  if (total > 0) for (const [term, weight] of weights) weights.set(term, weight / total);
  return weights;
}
