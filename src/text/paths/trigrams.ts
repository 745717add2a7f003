/** A trigram as a small integer. Collisions are rare (20 bits) and do no more harm than a chance resemblance. */
function trigramAt(text: string, i: number): number {
  return ((text.charCodeAt(i) * 31 + text.charCodeAt(i + 1)) * 31 + text.charCodeAt(i + 2)) % 1_048_573;
}

/**
 * A power of two: bits of a trigram that say whether looking it up is worth while. Most trigrams of others are not
 * here.
 */
const SLOTS = 1_024;

/**
 * The trigrams of a text, made once and compared with many others: Dice's coefficient over multisets,
 * 2 * common / (all of one + all of the other). Texts are padded so that their ends weigh in, and so that
 * texts of one or two characters have trigrams.
 */
export class Trigrams {
  /** Trigram → its place in `#counts`. */
  readonly #places = new Map<number, number>();
  readonly #taken = new Uint8Array(SLOTS);
  readonly #counts: Uint16Array;
  /** How many of each are still unmatched in the comparison under way. */
  readonly #left: Uint16Array;
  readonly #total: number;

  constructor(text: string) {
    const padded = pad(text);
    const counts: number[] = [];
    for (let i = 0; i + 2 < padded.length; i++) {
      const trigram = trigramAt(padded, i);
      const place = this.#places.get(trigram) ?? counts.length;
      this.#places.set(trigram, place);
      this.#taken[trigram & (SLOTS - 1)] = 1;
      counts[place] = (counts[place] ?? 0) + 1;
    }
    this.#counts = Uint16Array.from(counts);
    this.#left = new Uint16Array(counts.length);
    this.#total = Math.max(0, padded.length - 2);
  }

  /** 0 to 1; 1 for equal texts, 0 for texts without a common trigram or when one is empty. */
  dice(text: string): number {
    const padded = pad(text);
    const total = this.#total + Math.max(0, padded.length - 2);
    if (total === 0 || this.#total === 0) return 0;
    this.#left.set(this.#counts);
    let common = 0;
    for (let i = 0; i + 2 < padded.length; i++) {
      const trigram = trigramAt(padded, i);
      if (this.#taken[trigram & (SLOTS - 1)] === 0) continue;
      const place = this.#places.get(trigram);
      if (place === undefined || this.#left[place] === undefined || this.#left[place] === 0) continue;
      this.#left[place]--;
      common++;
    }
    return (2 * common) / total;
  }
}

function pad(text: string): string {
  return text === '' ? '' : `^^${text}$`;
}
