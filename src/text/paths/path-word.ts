import { stem } from '../words/stem.js';
import { termOf, wordForms } from '../words/terms.js';

/** A word of a path with its forms for comparison and counting. */
export interface PathWord {
  word: string;
  stem: string;
  /** See {@link wordForms}. */
  forms: readonly string[];
  /** See {@link termOf}. */
  term: number;
}

export function readPathWord(word: string): PathWord {
  return { word, stem: stem(word), forms: wordForms(word), term: termOf(word) };
}
