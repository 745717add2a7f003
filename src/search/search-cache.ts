import { LRUCache } from 'lru-cache';
import type { SearchAnswer } from './answer.js';

/**
 * A process's cache of answers. The key contains the project's index version, so answers from before a change of the
 * index are not found again and age out.
 *
 * There is no second level in the database. It would save each process one search per answer and index version, but add
 * a read and a write to every miss. A hit here takes 0.01 ms at the median; reading one row by key took 0.06 ms on an
 * idle local connection, and 7 ms at the 99th percentile under load.
 */
export interface SearchCache {
  get(key: string): SearchAnswer | undefined;
  set(key: string, answer: SearchAnswer): void;
  size(): number;
}

/** A number of entries alone is no bound: a hundred suggestions may have 64 KiB of metadata each. */
const MAX_CHARACTERS = 64_000_000;

export function createSearchCache(entries: number): SearchCache {
  if (entries === 0) return { get: () => undefined, set: () => undefined, size: () => 0 };
  const cache = new LRUCache<string, SearchAnswer>({
    max: entries,
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (answer, key) => key.length + JSON.stringify(answer).length,
  });
  return {
    get: (key) => cache.get(key),
    set: (key, answer) => {
      cache.set(key, answer);
    },
    size: () => cache.size,
  };
}
