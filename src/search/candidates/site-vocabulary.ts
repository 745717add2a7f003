import { LRUCache } from 'lru-cache';
import type { Tenant } from '../../platform/database/session/tenants.js';
import { lookUpSpelling, lookUpWords, type NearWords } from '../../pages/store/vocabulary.js';
import { correctableWords, readingsToLookUp, wordsToLookUp } from '../ranking/spelling/word-readings.js';
import { wordForms } from '../../text/words/word-forms.js';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../base/package-root.js';
import { hashFnv1a } from '../../text/hash-fnv1a.js';

/** A tenant, and the version of the index that its words are read from. */
export interface IndexedTenant extends Tenant {
  indexVersion: number;
}

/** Looks up on how many of a project's pages words are. Counts are cached until the index changes. */
export type Vocabulary = ReturnType<typeof createVocabulary>;

/** The cache takes some 10 MB. The paths and questions of a site use some ten thousand words. */
const MAX_CACHED = 50_000;
/** The cache key for the number of pages; no word is a space. */
const ALL_PAGES = ' ';

/** Counts of a version of the index do not change. Soon all words of well-spelt paths are cached. */
export function createVocabulary() {
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

  function remember(tenant: IndexedTenant, words: readonly string[], counts: ReadonlyMap<string, number>): void {
    const prefix = `${tenant.projectId}${tenant.indexVersion}\n`;
    for (const word of words) cached.set(prefix + word, counts.get(word) ?? 0);
  }

  return {
    /** Counts the searchable pages, and those with each word. It takes at most one round trip. */
    counts: async (tenant: IndexedTenant, words: readonly string[]) => {
      const { counts, missing } = recall(tenant, [ALL_PAGES, ...words]);
      if (missing.length > 0) {
        const withPages = missing[0] === ALL_PAGES;
        const { pages, counted } = await lookUpWords(tenant, withPages ? missing.slice(1) : missing, withPages);
        if (withPages) counted.set(ALL_PAGES, pages);
        remember(tenant, missing, counted);
        for (const word of missing) counts.set(word, counted.get(word) ?? 0);
      }
      const pages = counts.get(ALL_PAGES) ?? 0;
      counts.delete(ALL_PAGES);
      return { pages, counts };
    },
    /** Reads what spelling correction needs, and the counts of all forms of a path's words: one round trip at most. */
    spelling: async (tenant: IndexedTenant, words: readonly string[]) => {
      const wanted = [...new Set([...wordsToLookUp(words), ...words.flatMap(wordForms)])];
      const recalled = recall(tenant, wanted);
      const isKnown = (forms: readonly string[]): boolean => forms.some((form) => (recalled.counts.get(form) ?? 0) > 0);
      const correctable = correctableWords(words);
      if (recalled.missing.length === 0 && correctable.every(({ forms }) => isKnown(forms)))
        return { known: recalled.counts, near: new Map() as NearWords };
      const readings = [...new Set([...wanted, ...readingsToLookUp(words)])];
      const { known, near } = await lookUpSpelling(tenant, readings, correctable);
      remember(tenant, wanted, known);
      return { known, near };
    },
    /** Tells whether a word is a real word, and no slip of another one, though the site does not have it. */
    isCommon: (word: string): boolean => hasWord(common, word),
  };
}

/** This file has words that are no slips: whole words of `pathmend-static-v2` (scripts/model/common-words.ts). */
const FILE = 'common-words.bin';

/** Shorter words are not corrected (src/search/ranking/spelling/word-readings.ts), and are parts of others. */
export const MIN_LENGTH = 5;
const ACCENTS = /\p{M}+/gu;

/** Reads the sorted hashes of words, see {@link hasWord}: the 34,610 words take 138 kB. */
export function readCommonWords(): Uint32Array {
  const bytes = readFileSync(join(packageRoot(), 'models', FILE));
  return Uint32Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readUInt32LE(at * 4));
}

/** Tells whether a set has a word, or it without accents, in lower case. It takes 1 of 100,000 others for one. */
export function hasWord(set: Uint32Array, word: string): boolean {
  const plain = word.normalize('NFD').replace(ACCENTS, '');
  return (
    word.length >= MIN_LENGTH && (includes(set, hashFnv1a(word)) || (plain !== word && includes(set, hashFnv1a(plain))))
  );
}

function includes(set: Uint32Array, hash: number): boolean {
  let [low, high] = [0, set.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((set[middle] as number) < hash) low = middle + 1;
    else high = middle;
  }
  return set[low] === hash;
}
