import { LRUCache } from 'lru-cache';
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

export type ReadWord = (word: string) => PathWord;

export const readPathWord: ReadWord = (word) => ({
  word,
  stem: stem(word),
  forms: wordForms(word),
  term: termOf(word),
});

/** Of a quarter of a kilobyte each. */
const MAX_KEPT = 8_192;
/** Hardly a word of any language is longer. */
const MAX_KEPT_LENGTH = 32;

/** Reads words, and remembers them: the paths of a site share most of theirs. */
export function createPathWords(): ReadWord {
  const kept = new LRUCache<string, PathWord>({ max: MAX_KEPT });
  return (text) => {
    const known = kept.get(text);
    if (known !== undefined) return known;
    // A copy: what was cut out of a longer text would keep all of it.
    const word = readPathWord(` ${text}`.slice(1));
    if (text.length <= MAX_KEPT_LENGTH) kept.set(word.word, word);
    return word;
  };
}
