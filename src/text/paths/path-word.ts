import { foldLetters } from '../words/fold-letters.js';
import { stem } from '../words/stem.js';
import { termOf, wordForms } from '../words/terms.js';

/** A word of a path with its forms for comparison and counting. */
export interface PathWord {
  word: string;
  /** See {@link pathStem}. */
  stem: string;
  /** See {@link wordForms}. */
  forms: readonly string[];
  /** See {@link termOf}. */
  term: number;
}

export function readPathWord(word: string): PathWord {
  return { word, stem: pathStem(word), forms: wordForms(word), term: termOf(word) };
}

/**
 * The stem by which words of two paths are compared. Slugs write `ä` as `a` or `ae`, `ø` as `o` or `oe`, `å` as `a` or
 * `aa`: all are one here, and `value` is `valu` in every path.
 */
export function pathStem(word: string): string {
  return stem(foldLetters(word)).replace(/([aou])e|a(?=a)/g, '$1');
}
