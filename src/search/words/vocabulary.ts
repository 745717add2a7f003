import { LRUCache } from 'lru-cache';
import type { Tenant } from '../../database/tenants.js';
import { countIndexedPages, lookUpSpelling, lookUpWords, type NearWords } from '../../database/queries/vocabulary.js';
import { correctableWords, exactProbes, wordProbes } from './spelling-probes.js';
import { wordForms } from './terms.js';

/** Whose words, and as of which version of the index. */
export interface VocabularyScope extends Tenant {
  indexVersion: number;
}

/** How many of a project's pages hold which words; what was asked before is remembered until the index changes. */
export interface Vocabulary {
  /** Number of pages that can be found. */
  allPages(scope: VocabularyScope): Promise<number>;
  /** On how many pages each of these words stands: 0 for those of none. */
  counts(scope: VocabularyScope, words: readonly string[]): Promise<Map<string, number>>;
  /** What spelling asks of a path's words, and the counts of all forms of them. One round trip at most. */
  spelling(scope: VocabularyScope, words: readonly string[]): Promise<{ known: Map<string, number>; near: NearWords }>;
}

/** Some 10 MB; sites have some ten thousand words that paths and questions use. */
const MOST_REMEMBERED = 50_000;
/** Stands for the number of pages; no word has a blank. */
const ALL_PAGES = ' ';

/**
 * A count never changes within one version of an index, so remembering it changes no answer; a new version asks anew.
 * Of a well-spelt path all words are soon known, which spares it a round trip.
 */
export function createVocabulary(): Vocabulary {
  const remembered = new LRUCache<string, number>({ max: MOST_REMEMBERED });

  function recall(scope: VocabularyScope, words: readonly string[]): { counts: Map<string, number>; missing: string[] } {
    const prefix = `${scope.projectId}${scope.indexVersion}\n`;
    const counts = new Map<string, number>();
    const missing: string[] = [];
    for (const word of words) {
      const count = remembered.get(prefix + word);
      if (count === undefined) missing.push(word);
      else counts.set(word, count);
    }
    return { counts, missing };
  }

  function remember(scope: VocabularyScope, words: readonly string[], found: ReadonlyMap<string, number>): void {
    const prefix = `${scope.projectId}${scope.indexVersion}\n`;
    for (const word of words) remembered.set(prefix + word, found.get(word) ?? 0);
  }

  async function counts(scope: VocabularyScope, words: readonly string[]): Promise<Map<string, number>> {
    const recalled = recall(scope, words);
    if (recalled.missing.length === 0) return recalled.counts;
    const found = await lookUpWords(scope, recalled.missing);
    remember(scope, recalled.missing, found);
    for (const word of recalled.missing) recalled.counts.set(word, found.get(word) ?? 0);
    return recalled.counts;
  }

  return {
    counts,
    allPages: async (scope) => {
      const recalled = recall(scope, [ALL_PAGES]).counts.get(ALL_PAGES);
      if (recalled !== undefined) return recalled;
      const pages = await countIndexedPages(scope);
      remember(scope, [ALL_PAGES], new Map([[ALL_PAGES, pages]]));
      return pages;
    },
    spelling: async (scope, words) => {
      const asked = [...new Set([...wordProbes(words), ...words.flatMap(wordForms)])];
      const recalled = recall(scope, asked);
      const isKnown = (forms: readonly string[]): boolean => forms.some((form) => (recalled.counts.get(form) ?? 0) > 0);
      const correctable = correctableWords(words);
      if (recalled.missing.length === 0 && correctable.every(({ forms }) => isKnown(forms))) return { known: recalled.counts, near: new Map() };
      const { known, near } = await lookUpSpelling(scope, [...new Set([...asked, ...exactProbes(words)])], correctable);
      remember(scope, asked, known);
      return { known, near };
    },
  };
}
