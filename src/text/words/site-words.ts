import type { PathWords } from '../../base/glossary.js';
import { termWeight, wordForms } from './terms.js';

/** How common words are on a site. A word's forms count as one. Words without a count are unknown. */
export interface SiteWords {
  isKnown: (word: string) => boolean;
  /** The number of pages that contain the word's most common form. */
  pagesWith: (word: string) => number;
  /** The share of the site's pages that contain the word, 0 to 1. `forms`: the word's, if the caller has them. */
  shareOfPages: (word: string, forms?: readonly string[]) => number;
  /** The weight of a word of content, see {@link termWeight}. */
  termWeight: (word: string, forms?: readonly string[]) => number;
  /** The weight of a path's word, 0 to 1: log(1 + N/d) / log(1 + N) for a word on d of N pages, 1 if unknown. */
  pathWeight: (word: string) => number;
  /** Adds counts. */
  add: (counts: ReadonlyMap<string, number>) => void;
}

/** `pages`: the number of the site's pages; `known`: counts from its vocabulary. */
export function createSiteWords(pages: number, known: ReadonlyMap<string, number>): SiteWords {
  // A list of maps: merging hundreds of counts into one took longer than two look-ups.
  let counts = [known];
  const byWord = new Map<string, number>();
  const logOfAll = Math.log(1 + pages);
  const countOf = (word: string): number => {
    for (const one of counts) {
      const count = one.get(word);
      if (count !== undefined) return count;
    }
    return 0;
  };
  const pagesWith = (word: string, forms?: readonly string[]): number => {
    let max = byWord.get(word);
    if (max === undefined) {
      max = 0;
      for (const form of forms ?? wordForms(word)) max = Math.max(max, countOf(form));
      byWord.set(word, max);
    }
    return max;
  };
  return {
    isKnown: (word) => pagesWith(word) > 0,
    pagesWith,
    shareOfPages: (word, forms) => pagesWith(word, forms) / Math.max(1, pages),
    termWeight: (word, forms) => termWeight(pagesWith(word, forms), pages),
    pathWeight: (word) => {
      const d = countOf(word);
      return d <= 1 ? 1 : Math.log(1 + pages / d) / logOfAll;
    },
    add: (more) => {
      // The latest counts come first, because they are read most.
      counts = [more, ...counts];
      byWord.clear();
    },
  };
}

/** The words whose counts a comparison with a live path needs: its words, and all forms of its slug's. */
export function countedWords({ words, slug }: PathWords): string[] {
  return [...new Set([...words, ...slug.flatMap(wordForms)])];
}
