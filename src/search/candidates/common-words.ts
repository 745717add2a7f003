import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../base/package-root.js';
import { hashFnv1a } from '../../text/hash-fnv1a.js';

/**
 * Words that are no slips of a site's own words: the whole words of `pathmend-static-v2`, which was made for that among
 * others. The vocabularies of sentence encoders have fewer, or none (docs/relevance.md). Made by
 * scripts/model/common-words.ts.
 */
const FILE = 'common-words.bin';

/** Shorter words are not corrected (src/search/ranking/spelling/word-readings.ts), and are parts of others. */
const MIN_LENGTH = 5;
const ACCENTS = /\p{M}+/gu;

/** Sorted hashes of words, see {@link hasWord}: the 34,610 words take 138 kB. */
export function readCommonWords(): Uint32Array {
  const bytes = readFileSync(join(packageRoot(), 'models', FILE));
  return Uint32Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readUInt32LE(at * 4));
}

/** The set of the whole words among the texts of a vocabulary of BERT, where `##` marks what continues one. */
export function setOfWords(texts: readonly string[]): Uint32Array {
  const words = texts.filter((text) => text.length >= MIN_LENGTH && !text.startsWith('##'));
  return Uint32Array.from(words, (word) => hashFnv1a(word)).sort();
}

/**
 * One word in a hundred thousand that is not in the set is taken for one that is. `word`: in lower case. Its accents do
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
