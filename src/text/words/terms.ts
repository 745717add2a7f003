import { hashFnv1a } from '../hash-fnv1a.js';
import { characterPairs, codesOf, contentTokens, limitVocabulary, UNSPACED } from './split-words.js';
import { dropAccents, cyrillicStem, stem } from './word-forms.js';

/** Weights by term, as in a sparse vector. Terms are 1 to MAX_TERM_ID. */
export type TermWeights = ReadonlyMap<number, number>;

/** The number of dimensions that pgvector allows in a sparse vector. */
export const MAX_TERM_ID = 1_000_000_000;

/**
 * Okapi BM25 (Robertson and Zaragoza 2009, section 3) in two halves, whose inner product is the score. A page stores
 * its coverage of each term, tf / (tf + k1 * (1 - b + b * length / PIVOT)), between 0 and 1. The question has the
 * inverse document frequencies, which change with every page. PIVOT replaces the average length, so that a page's
 * weights do not depend on other pages. The constants and {@link BEGINNING} were chosen by measurement, see
 * docs/evidence/relevance.md.
 */
const K1 = 4;
const B = 0.5;
const PIVOT = 600;

/** Extra weight of a page's first words, which show its subject. The entries add up. */
const BEGINNING: readonly (readonly [words: number, extra: number])[] = [
  [100, 2],
  [30, 3],
  [10, 4],
];

/**
 * A code in a page's first characters counts as much as a first word does, and a code in a question as much as three
 * words: `NuGet 6.0` does not mean the release notes of 6.1. With a code counted once, like any word, .646 of questions
 * were right first in place of .657.
 */
const FIRST_CHARACTERS = 100;
const FIRST_CODE = 10;
const ASKED_CODE = 3;

/** The number of a term. Two different words have the same number in about one of a billion pairs. */
function termId(term: string): number {
  return (hashFnv1a(term) % MAX_TERM_ID) + 1;
}

/** The number under which a word is stored; forms of a word share it. */
export function termOf(word: string): number {
  return termId(stem(dropAccents(word)));
}

/** The search data of a content: the words and codes for the vocabulary, and the coverage of each term. */
interface PageWords {
  words: ReadonlySet<string>;
  terms: TermWeights;
}

/** Reads the search data of a content at once, in time linear in its length. */
export function readPageWords(content: string): PageWords {
  const steps = stepPageWords(content);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** The number of words between two steps of {@link stepPageWords}. */
const STEP_WORDS = 500;

/** Does {@link readPageWords} in steps, for other work in between: a megabyte of Han or Thai takes seconds. */
export function* stepPageWords(content: string): Generator<undefined, PageWords> {
  let done = 0;
  const isStep = (): boolean => ++done % STEP_WORDS === 0;
  const times = new Map<string, number>();
  let length = 0;
  const add = (word: string, weight: number): void => {
    times.set(word, (times.get(word) ?? 0) + weight);
    length += weight;
  };
  let at = 0;
  for (const word of contentTokens(content, true)) {
    let weight = 1;
    for (const [words, extra] of BEGINNING) if (at < words) weight += extra;
    add(word, weight);
    at++;
    if (isStep()) yield;
  }
  let first = Array.from(codesOf(content.slice(0, FIRST_CHARACTERS))).length;
  for (const code of codesOf(content)) {
    add(code, first-- > 0 ? FIRST_CODE : 1);
    if (isStep()) yield;
  }
  const counts = new Map<number, number>();
  for (const [word, count] of times) {
    const term = termOf(word);
    counts.set(term, (counts.get(term) ?? 0) + count);
    if (isStep()) yield;
  }
  const saturation = K1 * (1 - B + (B * length) / PIVOT);
  for (const [term, count] of counts) counts.set(term, count / (count + saturation));
  return { words: limitVocabulary(withStems(times.keys())), terms: counts };
}

/** Yields the words, and the stems that {@link wordForms} looks up. */
function* withStems(words: Iterable<string>): Generator<string> {
  for (const word of words) {
    yield word;
    const stemmed = cyrillicStem(word);
    if (stemmed !== undefined) yield stemmed;
  }
}

/** The max words of a question that are looked up: no sensible question has more. Others count in the vector only. */
const MAX_WORDS = 64;

/** The distinct words and codes of a question, for lookup. */
export function searchedWords(text: string): { words: string[]; codes: string[] } {
  return {
    words: [...new Set(contentTokens(text))].slice(0, MAX_WORDS),
    codes: [...new Set(codesOf(text))].slice(0, MAX_WORDS),
  };
}

/** A path's words as terms: runs of scripts without spaces become character pairs, single letters are dropped. */
export function pathTerms(words: readonly string[]): string[] {
  const terms = words.flatMap((word) =>
    word.replace(UNSPACED, '') === '' ? [...characterPairs(word)] : word.length > 1 ? [word] : [],
  );
  return [...new Set(terms)].slice(0, MAX_WORDS);
}

/** BM25's idf of a word on d of N pages, log(1 + (N - d + 0.5) / (d + 0.5)), scaled to be 1 for an unknown word. */
export function termWeight(pagesWith: number, pages: number): number {
  const d = Math.min(pagesWith, pages);
  return Math.log(1 + (pages - d + 0.5) / (d + 0.5)) / Math.log(1 + (pages + 0.5) / 0.5);
}

/**
 * The weights of a question's terms. They add up to 1, unknown words included, so that the inner product with a page's
 * terms is the share of the question that the page covers. Codes count only if the site has them.
 */
export function searchedTerms(
  words: readonly string[],
  codes: readonly string[],
  weigh: (word: string) => number,
  isKnown: (word: string) => boolean,
): TermWeights {
  const weights = new Map<number, number>();
  const add = (word: string, times: number): void => {
    const term = termOf(word);
    weights.set(term, Math.max(weights.get(term) ?? 0, times * weigh(word)));
  };
  for (const word of words) add(word, 1);
  for (const code of codes) if (isKnown(code)) add(code, ASKED_CODE);
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  if (total > 0) for (const [term, weight] of weights) weights.set(term, weight / total);
  return weights;
}
