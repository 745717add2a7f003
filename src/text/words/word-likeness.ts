import { trigramsOf } from '../paths/trigrams.js';

/** Less alike words are alike by chance. */
const MIN_LIKENESS = 0.3;

/** The words of a question, prepared once for comparison with many others: `forecaster` is like `forecasting`. */
export class WordLikeness {
  /** The words that have a trigram. */
  readonly #wordsWith = new Map<number, number[]>();
  readonly #sizes: number[];
  /** How many trigrams each has in common with another word. Maps, one a word, were a third of a question's garbage. */
  readonly #common: Uint16Array;

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
    this.#common = new Uint16Array(words.length);
  }

  /** Dice's coefficient of these trigrams and those of the word that is most alike, 0 below {@link MIN_LIKENESS}. */
  of(trigrams: readonly number[]): number {
    const common = this.#common.fill(0);
    for (const one of trigrams) {
      const words = this.#wordsWith.get(one);
      if (words) for (const at of words) common[at] = (common[at] ?? 0) + 1;
    }
    let best = 0;
    for (let at = 0; at < common.length; at++)
      best = Math.max(best, (2 * (common[at] ?? 0)) / ((this.#sizes[at] ?? 0) + trigrams.length));
    // A trigram that one of them has twice counts twice.
    return best < MIN_LIKENESS ? 0 : Math.min(1, best);
  }
}
