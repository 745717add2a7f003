import { hashFnv1a } from '../hash-fnv1a.js';

/** Trigrams as integers of 20 bits. Collisions are rare and do no more harm than chance similarity. */
export function trigramsOf(text: string): number[] {
  // Padding gives the ends weight, and trigrams to texts of one or two characters.
  const padded = text === '' ? '' : `^^${text}$`;
  const trigrams: number[] = [];
  for (let i = 0; i + 2 < padded.length; i++)
    trigrams.push(((padded.charCodeAt(i) * 31 + padded.charCodeAt(i + 1)) * 31 + padded.charCodeAt(i + 2)) % 1_048_573);
  return trigrams;
}

/** The trigrams of a text in ascending order, with repeats, to be kept and compared often. */
export function sortedTrigrams(text: string): Int32Array {
  return Int32Array.from(trigramsOf(text)).sort();
}

/**
 * Dice's coefficient of two texts' sorted trigrams as multisets: 2 * common / (size of one + size of the other). 1 for
 * equal texts, 0 without a common trigram or if a text is empty. 0.25 µs for two paths of 60 characters, a seventh of
 * what counting in a Map takes. Nothing is allocated.
 */
export function dice(a: Int32Array, b: Int32Array): number {
  if (a.length === 0 || b.length === 0) return 0;
  let [common, i, j] = [0, 0, 0];
  while (i < a.length && j < b.length) {
    const [x, y] = [a[i] as number, b[j] as number];
    // Numbers in place of branches, which a processor cannot foresee: with these it took twice the time.
    common += Number(x === y);
    i += Number(x <= y);
    j += Number(x >= y);
  }
  return (2 * common) / (a.length + b.length);
}

/** The length of the bit columns of pathmend.indexed_pages. */
export const SIGNATURE_BITS = 512;
const ONE = 0x31;

/**
 * A bit signature of a text's trigrams, in PostgreSQL's notation. The Jaccard similarity of two signatures approximates
 * that of the trigram sets (some 40 trigrams of a path share 512 bits) and takes about a hundredth of the time of
 * pg_trgm's similarity(): 2 ms instead of 140 ms for path and slug of 10,000 pages. Words are padded as in pg_trgm.
 */
export function trigramSignature(words: string): string {
  const bits = Buffer.alloc(SIGNATURE_BITS, '0');
  for (const word of words.split(' ')) {
    if (word === '') continue;
    const padded = `  ${word} `;
    for (let i = 0; i + 2 < padded.length; i++) bits[hashFnv1a(padded, i, i + 3) % SIGNATURE_BITS] = ONE;
  }
  return bits.toString('latin1');
}
