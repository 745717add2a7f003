import type { SearchSpace } from '../store/space.js';
import type { ModelRegistry } from '../../embedding/model-registry.js';
import type { HeadingReader } from '../ranking/evidence/heading-words.js';
import type { LivePathCache } from '../ranking/evidence/page-path.js';
import { createSiteWords, type SiteWords } from '../../text/words/site-words.js';
import { chooseTermLookups, type LookupBudget, type TermLookup } from '../../text/words/term-lookups.js';
import { termOf } from '../../text/words/terms.js';
import type { Vocabulary } from './site-vocabulary.js';

export interface CandidateDeps {
  models: ModelRegistry;
  vocabulary: Vocabulary;
  livePaths: LivePathCache;
  headings: HeadingReader;
}

/** Looks up how common words are on the site. `known`: counts that were read before. At most one round trip. */
export async function lookUpSiteWords(
  vocabulary: Vocabulary,
  space: SearchSpace,
  words: readonly string[],
  known?: ReadonlyMap<string, number>,
): Promise<SiteWords> {
  const missing = [...new Set(words)].filter((word) => known?.has(word) !== true);
  const { pages, counts } = await vocabulary.counts(space, missing);
  const site = createSiteWords(pages, counts);
  if (known) site.add(known);
  return site;
}

/** The lookups of these words in the project's own indexes; none if the project is scanned. */
export function chooseLookups(
  space: SearchSpace,
  words: readonly string[],
  site: SiteWords,
  budget: LookupBudget,
): TermLookup[] {
  if (!space.indexSegments) return [];
  return chooseTermLookups(
    words.map((word) => ({ term: termOf(word), pages: site.pagesWith(word) })),
    budget,
  );
}

/** `word pages word pages …`: an object of some 450 names took V8 longer (docs/decisions/0088). */
export function readCounts(text: string): Map<string, number> {
  const parts = text.split(' ');
  const counts = new Map<string, number>();
  for (let at = 1; at < parts.length; at += 2) counts.set(parts[at - 1] ?? '', Number(parts[at]));
  return counts;
}
