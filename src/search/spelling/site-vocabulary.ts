import { LRUCache } from 'lru-cache';
import type { Tenant } from '../../database/session/tenants.js';
import { lookUpSpelling, lookUpWords, type NearWords } from '../../database/queries/vocabulary.js';
import { correctableWords, readingsToLookUp, wordsToLookUp } from './word-readings.js';
import { wordForms } from '../../text/words/terms.js';

/** Whose words, and as of which version of the index. */
export interface IndexedTenant extends Tenant {
  indexVersion: number;
}

/** How many of a project's pages hold which words; what was asked before is remembered until the index changes. */
export interface Vocabulary {
  /**
   * The number of pages that can be found, and on how many each of these words stands: 0 for those of none. One round
   * trip at most.
   */
  counts(tenant: IndexedTenant, words: readonly string[]): Promise<{ pages: number; counts: Map<string, number> }>;
  /** What spelling asks of a path's words, and the counts of all forms of them. One round trip at most. */
  spelling(tenant: IndexedTenant, words: readonly string[]): Promise<{ known: Map<string, number>; near: NearWords }>;
}

/** Some 10 MB; sites have some ten thousand words that paths and questions use. */
const MAX_REMEMBERED = 50_000;
/** Stands for the number of pages; no word has a blank. */
const ALL_PAGES = ' ';

/**
 * A count never changes within one version of an index, so remembering it changes no answer; a new version asks anew.
 * Of a well-spelt path all words are soon known, which spares it a round trip.
 */
export function createVocabulary(): Vocabulary {
  const remembered = new LRUCache<string, number>({ max: MAX_REMEMBERED });

  function recall(tenant: IndexedTenant, words: readonly string[]): { counts: Map<string, number>; missing: string[] } {
    const prefix = `${tenant.projectId}${tenant.indexVersion}\n`;
    const counts = new Map<string, number>();
    const missing: string[] = [];
    for (const word of words) {
      const count = remembered.get(prefix + word);
      if (count === undefined) missing.push(word);
      else counts.set(word, count);
    }
    return { counts, missing };
  }

  function remember(tenant: IndexedTenant, words: readonly string[], found: ReadonlyMap<string, number>): void {
    const prefix = `${tenant.projectId}${tenant.indexVersion}\n`;
    for (const word of words) remembered.set(prefix + word, found.get(word) ?? 0);
  }

  return {
    counts: async (tenant, words) => {
      const { counts, missing } = recall(tenant, [ALL_PAGES, ...words]);
      if (missing.length > 0) {
        const asksPages = missing[0] === ALL_PAGES;
        const { pages, found } = await lookUpWords(tenant, asksPages ? missing.slice(1) : missing, asksPages);
        if (asksPages) found.set(ALL_PAGES, pages);
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
  };
}
