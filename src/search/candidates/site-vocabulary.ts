import { LRUCache } from 'lru-cache';
import type { Tenant } from '../../platform/database/session/tenants.js';
import { lookUpSpelling, lookUpWords, type NearWords } from '../../pages/store/vocabulary.js';
import { correctableWords, readingsToLookUp, wordsToLookUp } from '../ranking/spelling/word-readings.js';
import { hasWord, readCommonWords } from './common-words.js';
import { wordForms } from '../../text/words/terms.js';

/** A tenant, and the version of the index that its words are read from. */
export interface IndexedTenant extends Tenant {
  indexVersion: number;
}

/** Looks up on how many of a project's pages words are. Counts are cached until the index changes. */
export interface Vocabulary {
  /** The number of searchable pages, and on how many of them each word is. At most one round trip. */
  counts(tenant: IndexedTenant, words: readonly string[]): Promise<{ pages: number; counts: Map<string, number> }>;
  /** What spelling correction needs, and the counts of all forms of a path's words. At most one round trip. */
  spelling(tenant: IndexedTenant, words: readonly string[]): Promise<{ known: Map<string, number>; near: NearWords }>;
  /** Whether a word is no slip of another, though the site does not have it. */
  isCommon(word: string): boolean;
}

/** Some 10 MB. The paths and questions of a site use some ten thousand words. */
const MAX_CACHED = 50_000;
/** The cache key for the number of pages; no word is a space. */
const ALL_PAGES = ' ';

/**
 * Counts do not change within a version of the index, so caching changes no answer. Soon all words of well-spelt paths
 * are cached, which saves a round trip.
 */
export function createVocabulary(): Vocabulary {
  const common = readCommonWords();
  const cached = new LRUCache<string, number>({ max: MAX_CACHED });

  function recall(tenant: IndexedTenant, words: readonly string[]): { counts: Map<string, number>; missing: string[] } {
    const prefix = `${tenant.projectId}${tenant.indexVersion}\n`;
    const counts = new Map<string, number>();
    const missing: string[] = [];
    for (const word of words) {
      const count = cached.get(prefix + word);
      if (count === undefined) missing.push(word);
      else counts.set(word, count);
    }
    return { counts, missing };
  }

  function remember(tenant: IndexedTenant, words: readonly string[], found: ReadonlyMap<string, number>): void {
    const prefix = `${tenant.projectId}${tenant.indexVersion}\n`;
    for (const word of words) cached.set(prefix + word, found.get(word) ?? 0);
  }

  return {
    counts: async (tenant, words) => {
      const { counts, missing } = recall(tenant, [ALL_PAGES, ...words]);
      if (missing.length > 0) {
        const withPages = missing[0] === ALL_PAGES;
        const { pages, found } = await lookUpWords(tenant, withPages ? missing.slice(1) : missing, withPages);
        if (withPages) found.set(ALL_PAGES, pages);
        remember(tenant, missing, found);
        for (const word of missing) counts.set(word, found.get(word) ?? 0);
      }
      const pages = counts.get(ALL_PAGES) ?? 0;
      counts.delete(ALL_PAGES);
      return { pages, counts };
    },
    spelling: async (tenant, words) => {
      const asked = [...new Set([...wordsToLookUp(words), ...words.flatMap(wordForms)])];
      const recalled = recall(tenant, asked);
      const isKnown = (forms: readonly string[]): boolean => forms.some((form) => (recalled.counts.get(form) ?? 0) > 0);
      const correctable = correctableWords(words);
      if (recalled.missing.length === 0 && correctable.every(({ forms }) => isKnown(forms)))
        return { known: recalled.counts, near: new Map() };
      const { known, near } = await lookUpSpelling(
        tenant,
        [...new Set([...asked, ...readingsToLookUp(words)])],
        correctable,
      );
      remember(tenant, asked, known);
      return { known, near };
    },
    isCommon: (word) => hasWord(common, word),
  };
}
