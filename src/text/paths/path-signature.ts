import { fnv1a } from '../fnv1a.js';

/** Bits of a signature, as the columns of pathmend.indexed_pages have them. */
export const SIGNATURE_BITS = 512;

/**
 * A text's set of trigrams as bits, in PostgreSQL's notation: Jaccard of two signatures is that of two sets but for
 * collisions (some 40 trigrams of a path meet in 512 bits), at a hundredth of the time of pg_trgm's similarity():
 * 2 ms instead of 140 ms for both of 10,000 pages. Words are padded as pg_trgm pads them: their beginnings weigh in.
 */
export function trigramSignature(words: string): string {
  const bits = new Uint8Array(SIGNATURE_BITS);
  for (const word of words.split(' ')) {
    if (word === '') continue;
    const padded = `  ${word} `;
    for (let i = 0; i + 2 < padded.length; i++) bits[fnv1a(padded, i, i + 3) % SIGNATURE_BITS] = 1;
  }
  return bits.join('');
}
