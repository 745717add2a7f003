import { trigramsOf } from '../paths/trigrams.js';

/** Less alike words are alike by chance. */
const MIN_LIKENESS = 0.3;

/** The words of a question, prepared once for comparison with many others: `forecaster` is like `forecasting`. */
export class WordLikeness {
  /** The words that have a trigram. */
  readonly #wordsWith = new Map<number, number[]>();
  readonly #sizes: number[];

  constructor(words: readonly string[]) {
    this.#sizes = words.map((word, at) => {
      const trigrams = trigramsOf(word);
      for (const one of trigrams) {
        const others = this.#wordsWith.get(one);
        if (others) others.push(at);
        else this.#wordsWith.set(one, [at]);
      }
      return trigrams.length;
    });
  }

  /** Dice's coefficient of the trigrams of this word and the one that is most alike, 0 below {@link MIN_LIKENESS}. */
  of(word: string): number {
    const trigrams = trigramsOf(word);
    const common = new Map<number, number>();
    for (const one of trigrams)
      for (const at of this.#wordsWith.get(one) ?? []) common.set(at, (common.get(at) ?? 0) + 1);
    let best = 0;
    for (const [at, count] of common) best = Math.max(best, (2 * count) / ((this.#sizes[at] ?? 0) + trigrams.length));
    // A trigram that one of them has twice counts twice.
    return best < MIN_LIKENESS ? 0 : Math.min(1, best);
  }
}
