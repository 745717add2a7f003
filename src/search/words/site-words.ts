import type { Db } from '../../database/connect.js';
import { countIndexedPages } from '../../database/queries/search.js';
import { lookUpWords } from '../../database/queries/vocabulary.js';
import { termWeight, wordForms } from './terms.js';

/** How common words are on a site; a word's forms count as one. Only words that were looked up are known. */
export interface SiteWords {
  isKnown: (word: string) => boolean;
  /** The share of the site's pages that hold the word, 0 to 1. */
  shareOfPages: (word: string) => number;
  /** How telling a word of content is, see {@link termWeight}. */
  termWeight: (word: string) => number;
  /** How telling a word of a path is, 0 to 1: log(1 + N/d) / log(1 + N) for a word on d of N pages, 1 for an unknown one. */
  pathWeight: (word: string) => number;
  /** Looks up more words: `whole` with all their forms, of `bare` only themselves, which is all that pathWeight asks for. */
  learn: (whole: readonly string[], bare: readonly string[]) => Promise<void>;
}

/** The words of a site, as its vocabulary has them, with these looked up. */
export async function wordsOfSite(db: Db, projectId: string, first: readonly string[]): Promise<SiteWords> {
  const pages = await countIndexedPages(db, projectId);
  const pagesOf = new Map<string, number>();
  const holding = (word: string): number => Math.max(...wordForms(word).map((form) => pagesOf.get(form) ?? 0));
  const learn = async (whole: readonly string[], bare: readonly string[]): Promise<void> => {
    const words = new Set([...new Set(whole)].flatMap(wordForms).concat(bare));
    const unseen = [...words].filter((form) => !pagesOf.has(form));
    if (unseen.length === 0) return;
    const found = await lookUpWords(db, projectId, unseen);
    for (const form of unseen) pagesOf.set(form, found.get(form) ?? 0);
  };
  await learn(first, []);
  return {
    isKnown: (word) => holding(word) > 0,
    shareOfPages: (word) => holding(word) / Math.max(1, pages),
    termWeight: (word) => termWeight(holding(word), pages),
    pathWeight: (word) => {
      const d = pagesOf.get(word) ?? 0;
      return d <= 1 ? 1 : Math.log(1 + pages / d) / Math.log(1 + pages);
    },
    learn,
  };
}
