import { hashFnv1a } from '../text/hash-fnv1a.js';

/** Shorter words are not corrected (src/search/ranking/spelling/word-readings.ts), and are parts of others. */
const MIN_LENGTH = 5;
const ACCENTS = /\p{M}+/gu;

/** Whether a text of a vocabulary is a word, and not what continues one, which WordPiece marks. */
export function isWholeWord(text: string): boolean {
  return text.length >= MIN_LENGTH && !text.startsWith('##');
}

/**
 * `set`: sorted hashes of words, which pass between threads in one piece; the 34,610 words of our model take 138 kB.
 * One word in a hundred thousand that is not among them is taken for one that is. `word`: in lower case. Its accents do
 * not count: most vocabularies have none.
 */
export function hasWord(set: Uint32Array, word: string): boolean {
  const plain = word.normalize('NFD').replace(ACCENTS, '');
  return (
    word.length >= MIN_LENGTH && (includes(set, hashFnv1a(word)) || (plain !== word && includes(set, hashFnv1a(plain))))
  );
}

function includes(set: Uint32Array, hash: number): boolean {
  let [low, high] = [0, set.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((set[middle] as number) < hash) low = middle + 1;
    else high = middle;
  }
  return set[low] === hash;
}
