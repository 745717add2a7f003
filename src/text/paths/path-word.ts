import { stem } from '../words/stem.js';
import { termOf, wordForms } from '../words/terms.js';

/** A word of a path with all that it is compared and counted by. */
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
