import type { PathWords } from '../../glossary.js';
import { termWeight, wordForms } from './terms.js';

/** How common words are on a site; a word's forms count as one. Only words whose counts were added are known. */
export interface SiteWords {
  isKnown: (word: string) => boolean;
  /** Pages that hold the word in one of its forms. */
  holding: (word: string) => number;
  /** The share of the site's pages that hold the word, 0 to 1; `forms` are the word's, where the caller has them. */
  shareOfPages: (word: string, forms?: readonly string[]) => number;
  /** How telling a word of content is, see {@link termWeight}. */
  termWeight: (word: string, forms?: readonly string[]) => number;
  /**
   * How telling a word of a path is, 0 to 1: log(1 + N/d) / log(1 + N) for a word on d of N pages, 1 for an unknown
   * one.
   */
  pathWeight: (word: string) => number;
  /** Adds to what is known. */
  add: (counts: ReadonlyMap<string, number>) => void;
}

/** The words of a site of so many pages, by their counts in its vocabulary. */
export function siteWords(pages: number, known: ReadonlyMap<string, number>): SiteWords {
  // Kept side by side: copying hundreds of counts into one map took longer than asking two.
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
  const holding = (word: string, forms?: readonly string[]): number => {
    let most = byWord.get(word);
    if (most === undefined) {
      most = 0;
      for (const form of forms ?? wordForms(word)) most = Math.max(most, countOf(form));
      byWord.set(word, most);
    }
    return most;
  };
  return {
    isKnown: (word) => holding(word) > 0,
    holding,
    shareOfPages: (word, forms) => holding(word, forms) / Math.max(1, pages),
    termWeight: (word, forms) => termWeight(holding(word, forms), pages),
    pathWeight: (word) => {
      const d = countOf(word);
      return d <= 1 ? 1 : Math.log(1 + pages / d) / logOfAll;
    },
    add: (more) => {
      // What is added last holds most of what is asked from then on.
      counts = [more, ...counts];
      byWord.clear();
    },
  };
}

/** The words whose counts a comparison with a live path asks for: its own, and all forms of its slug's. */
export function countedWords({ words, slug }: PathWords): string[] {
  return [...new Set([...words, ...slug.flatMap(wordForms)])];
}
