import { hashFnv1a } from '../hash-fnv1a.js';

/** The trigrams of a text as integers of 20 bits. Collisions are rare and are as harmless as chance similarity. */
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
    // Adding numbers replaces branches, which a processor cannot predict: with branches, it took twice the time.
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

/** The positions of each UTF-16 unit in the shorter text, as bits. All are zero between calls. */
const POSITIONS = new Int32Array(65_536);
const MAX_BITS = 32;

/**
 * The number of insertions, deletions, substitutions and swaps of neighbours between two texts. Optimal string
 * alignment: Levenshtein with transpositions, no substring edited twice (Boytsov 2011, "Indexing methods for
 * approximate dictionary searching", section 2.2). Counts UTF-16 units. It runs for each candidate of a search: if one
 * text has at most 32 units, the bits of a number hold a column of the table (docs/evidence/decisions/0040).
 */
export function editDistance(from: string, to: string): number {
  const [short, long] = from.length <= to.length ? [from, to] : [to, from];
  if (short.length === 0) return long.length;
  return short.length <= MAX_BITS ? distanceByBits(short, long) : distanceByCells(short, long);
}

/** Hyyrö 2003, "A bit-vector algorithm for computing Levenshtein and Damerau edit distances". */
function distanceByBits(short: string, long: string): number {
  const last = 1 << (short.length - 1);
  for (let i = 0; i < short.length; i++)
    POSITIONS[short.charCodeAt(i)] = (POSITIONS[short.charCodeAt(i)] ?? 0) | (1 << i);
  let distance = short.length;
  // One bit per row of the column: whether its value is one more, or one less, than the value above it, and whether it
  // equals the value diagonally before it. Hyyrö's VP, VN and D0.
  let grows = -1;
  let shrinks = 0;
  let stays = 0;
  let positionsBefore = 0;
  for (let j = 0; j < long.length; j++) {
    const positions = POSITIONS[long.charCodeAt(j)] ?? 0;
    const swapped = ((~stays & positions) << 1) & positionsBefore;
    stays = ((((positions & grows) + grows) | 0) ^ grows) | positions | shrinks | swapped;
    let grewAcross = shrinks | ~(stays | grows);
    let shrankAcross = stays & grows;
    if ((grewAcross & last) !== 0) distance++;
    if ((shrankAcross & last) !== 0) distance--;
    grewAcross = (grewAcross << 1) | 1;
    shrankAcross <<= 1;
    grows = shrankAcross | ~(stays | grewAcross);
    shrinks = grewAcross & stays;
    positionsBefore = positions;
  }
  for (let i = 0; i < short.length; i++) POSITIONS[short.charCodeAt(i)] = 0;
  return distance;
}

function distanceByCells(from: string, to: string): number {
  let older: number[] = [];
  let old = Array.from({ length: to.length + 1 }, (_, j) => j);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const [x, y] = [from[i - 1], to[j - 1]];
      let best = Math.min((old[j - 1] ?? 0) + (x === y ? 0 : 1), (old[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1);
      if (i > 1 && j > 1 && x === to[j - 2] && from[i - 2] === y) best = Math.min(best, (older[j - 2] ?? 0) + 1);
      row.push(best);
    }
    [older, old] = [old, row];
  }
  return old[to.length] ?? 0;
}

/** A name may differ by one edit for every three characters, up to this number. */
const MAX_EDITS = 2;

/** The known name that is meant: equal but in case, `_`, `-`, `.`, {@link MAX_EDITS}; of equals, the first. */
export function nearestName(misspelt: string, known: Iterable<string>): string | undefined {
  const plain = plainName(misspelt);
  let best: string | undefined;
  let min = Math.min(MAX_EDITS, Math.floor(plain.length / 3)) + 1;
  for (const name of known) {
    const between = editDistance(plain, plainName(name));
    if (between < min) [best, min] = [name, between];
  }
  return best;
}

export function plainName(name: string): string {
  return name.toLowerCase().replace(/[_.-]/g, '');
}

/** Counts the segments that two paths have in common at their start, at most `max`. */
export function commonPrefix(a: readonly string[], b: readonly string[], max = a.length): number {
  let common = 0;
  while (common < max && common < b.length && a[common] === b[common]) common++;
  return common;
}
