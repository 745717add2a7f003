import type { SearchSpace } from '../../database/queries/search/space.js';
import type { ModelRegistry } from '../../embedding/model-registry.js';
import type { LivePaths } from './live-path.js';
import { siteWords, type SiteWords } from '../../text/words/site-words.js';
import { termLookups, type LookupBudget, type TermLookup } from '../../text/words/term-lookups.js';
import { termOf } from '../../text/words/terms.js';
import type { Vocabulary } from '../spelling/site-vocabulary.js';

/** What candidates are found with: path-candidates.ts for a dead path, content-candidates.ts for a text. */
export interface CandidateDeps {
  models: ModelRegistry;
  vocabulary: Vocabulary;
  livePaths: LivePaths;
}

/** How common these words are on the site, those that are `known` from before aside; one round trip at most. */
export async function wordsOfSite(
  vocabulary: Vocabulary,
  space: SearchSpace,
  words: readonly string[],
  known?: ReadonlyMap<string, number>,
): Promise<SiteWords> {
  const missing = [...new Set(words)].filter((word) => known?.has(word) !== true);
  const { pages, counts } = await vocabulary.counts(space, missing);
  const site = siteWords(pages, counts);
  if (known) site.add(known);
  return site;
}

/** How pages are found by these words in the project's own indexes; in no way where it has none, and is scanned. */
export function lookupsOf(
  space: SearchSpace,
  words: readonly string[],
  site: SiteWords,
  budget: LookupBudget,
): TermLookup[] {
  if (!space.indexSegments) return [];
  return termLookups(
    words.map((word) => ({ term: termOf(word), pages: site.holding(word) })),
    budget,
  );
}
