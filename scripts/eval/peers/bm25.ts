import { dice, sortedTrigrams } from '#src/text/words/likeness.js';
import { jaccard, plainPath, plainWords } from '../path-words.js';
import type { SitePage } from '../site-data.js';
import { best, searchText, type Peer } from './peer.js';

const K1 = 1.2;
const B = 0.75;

/** Okapi BM25 (Robertson and Zaragoza 2009, "The probabilistic relevance framework"), k1 = 1.2, b = 0.75. */
export class Bm25 {
  readonly #postings = new Map<string, { text: number; count: number }[]>();
  readonly #lengths: number[];
  readonly #averageLength: number;

  constructor(texts: readonly string[]) {
    this.#lengths = texts.map((text, index) => {
      const words = plainWords(text);
      const counts = new Map<string, number>();
      for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
      for (const [word, count] of counts) {
        const list = this.#postings.get(word);
        if (list) list.push({ text: index, count });
        else this.#postings.set(word, [{ text: index, count }]);
      }
      return words.length;
    });
    this.#averageLength = this.#lengths.reduce((sum, length) => sum + length, 0) / (texts.length || 1);
  }

  /** A value of 0 or more for each text, in their order. */
  scores(query: string): Float64Array {
    const scores = new Float64Array(this.#lengths.length);
    for (const word of new Set(plainWords(query))) {
      const list = this.#postings.get(word) ?? [];
      const idf = Math.log(1 + (this.#lengths.length - list.length + 0.5) / (list.length + 0.5));
      for (const { text, count } of list) {
        const length = 1 - B + (B * (this.#lengths[text] ?? 0)) / this.#averageLength;
        scores[text] = (scores[text] ?? 0) + (idf * count * (K1 + 1)) / (count + K1 * length);
      }
    }
    return scores;
  }
}

function indexTexts(pages: readonly SitePage[]): Bm25 {
  return new Bm25(pages.map(({ title, content }) => `${title} ${content}`));
}

/** BM25 over title and content. */
export function bm25(pages: readonly SitePage[]): Peer {
  const index = indexTexts(pages);
  return {
    name: 'bm25_title_content',
    takesQuestions: true,
    rank: (input) => {
      const scores = index.scores(searchText(input));
      return best(pages, (_, i) => scores[i] ?? 0);
    },
  };
}

/**
 * A sum that anybody writes in an afternoon: path overlap + path trigrams + BM25 over title and content, each divided
 * by its greatest value for the input. A question is compared with paths as if its words were a path.
 */
export function plainSum(pages: readonly SitePage[]): Peer {
  const index = indexTexts(pages);
  const paths = pages.map(({ path }) => plainPath(path));
  const trigrams = paths.map(sortedTrigrams);
  const words = paths.map((path) => new Set(plainWords(path)));
  return {
    name: 'plain_sum',
    takesQuestions: true,
    rank: (input) => {
      const text = searchText(input);
      const inputWords = new Set(plainWords(text));
      const inputTrigrams = sortedTrigrams(input.isPath ? plainPath(input.text) : `/${plainWords(text).join('-')}`);
      const parts = [
        words.map((those) => jaccard(inputWords, those)),
        trigrams.map((those) => dice(inputTrigrams, those)),
        [...index.scores(text)],
      ].map(scaled);
      return best(pages, (_, i) => parts.reduce((sum, part) => sum + (part[i] ?? 0), 0));
    },
  };
}

function scaled(values: readonly number[]): number[] {
  const most = values.reduce((a, b) => Math.max(a, b), 0);
  return values.map((value) => (most === 0 ? 0 : value / most));
}
