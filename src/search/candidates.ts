import type { Scope } from '../database/queries/search/scope.js';
import type { ModelRegistry } from '../embedding/model-registry.js';
import type { LivePaths } from './paths/live-path.js';
import { siteWords, type SiteWords } from './words/site-words.js';
import type { Vocabulary } from './words/vocabulary.js';

/** What candidates are found with: path-candidates.ts for a dead path, content-candidates.ts for a text. */
export interface CandidateDeps {
  models: ModelRegistry;
  vocabulary: Vocabulary;
  livePaths: LivePaths;
}

/** How common these words are on the site, those that are `known` from before aside; one round trip at most. */
export async function wordsOfSite(vocabulary: Vocabulary, scope: Scope, words: readonly string[], known?: ReadonlyMap<string, number>): Promise<{ pages: number; words: SiteWords }> {
  const missing = [...new Set(words)].filter((word) => known?.has(word) !== true);
  const { pages, counts } = await vocabulary.counts(scope, missing);
  const site = siteWords(pages, counts);
  if (known) site.add(known);
  return { pages, words: site };
}
