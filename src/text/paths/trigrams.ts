/**
 * The trigrams of a text, computed once for comparison with many others by Dice's coefficient over multisets:
 * 2 * common / (size of one + size of the other). Padding gives the ends weight, and trigrams to texts of one or two
 * characters.
 */
export class Trigrams {
  readonly #counts = new Map<number, number>();
  readonly #total: number;

  constructor(text: string) {
    const trigrams = trigramsOf(text);
    this.#total = trigrams.length;
    for (const one of trigrams) this.#counts.set(one, (this.#counts.get(one) ?? 0) + 1);
  }

  /** 0 to 1: 1 for equal texts, 0 without a common trigram or if a text is empty. */
  dice(text: string): number {
    const trigrams = trigramsOf(text);
    if (trigrams.length === 0 || this.#total === 0) return 0;
    const matched = new Map<number, number>();
    let common = 0;
    for (const one of trigrams) {
      const times = this.#counts.get(one);
      if (times === undefined) continue;
      const before = matched.get(one) ?? 0;
      if (before === times) continue;
      matched.set(one, before + 1);
      common++;
    }
    return (2 * common) / (this.#total + trigrams.length);
  }
}

/** Trigrams as integers of 20 bits. Collisions are rare and do no more harm than chance similarity. */
export function trigramsOf(text: string): number[] {
  const padded = text === '' ? '' : `^^${text}$`;
  const trigrams: number[] = [];
  for (let i = 0; i + 2 < padded.length; i++)
    trigrams.push(((padded.charCodeAt(i) * 31 + padded.charCodeAt(i + 1)) * 31 + padded.charCodeAt(i + 2)) % 1_048_573);
  return trigrams;
}
