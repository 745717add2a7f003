import { MIN_LENGTH } from '#src/search/candidates/site-vocabulary.js';
import { hashFnv1a } from '#src/text/hash-fnv1a.js';

/** Makes the set of the whole words among the texts of a vocabulary of BERT, where `##` marks what continues a word. */
export function setOfWords(texts: readonly string[]): Uint32Array {
  const words = texts.filter((text) => text.length >= MIN_LENGTH && !text.startsWith('##'));
  return Uint32Array.from(words, (word) => hashFnv1a(word)).sort();
}
