import type { SearchSpace } from '../store/space.js';
import type { ModelRegistry } from '../../embedding/model-registry.js';
import type { HeadingReader } from '../ranking/evidence/heading-evidence.js';
import type { LivePathCache } from '../ranking/evidence/page-path.js';
import { chooseTermLookups, type LookupBudget, type TermLookup } from '../../text/words/term-lookups.js';
import { termOf, termWeight } from '../../text/words/terms.js';
import type { Vocabulary, IndexedTenant } from './site-vocabulary.js';
import { wordForms } from '../../text/words/word-forms.js';
import { correctSpelling, type UnderstoodPath } from '../ranking/spelling/correct-spelling.js';
import type { DeadPath } from '../../text/paths/dead-path.js';

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
  const site = createSiteWords(pages, counts, (word) => vocabulary.isCommon(word));
  if (known) site.add(known);
  return site;
}

/** Chooses the lookups of these words in the project's own indexes; none if the project is scanned. */
export function chooseLookups(
  space: SearchSpace,
  words: readonly string[],
  site: SiteWords,
  budget: LookupBudget,
): TermLookup[] {
  if (space.covered === undefined) return [];
  const terms = words.map((word) => ({ term: termOf(word), pages: site.pagesWith(word) }));
  return chooseTermLookups(terms, budget);
}

/** Reads `word pages word pages …`: an object of some 450 names took V8 longer (docs/evidence/decisions/0040). */
export function readCounts(text: string): Map<string, number> {
  const parts = text.split(' ');
  const counts = new Map<string, number>();
  for (let at = 1; at < parts.length; at += 2) counts.set(parts[at - 1] ?? '', Number(parts[at]));
  return counts;
}

/** The counts tell how common words are on a site. All forms of a word count as one. Others are unknown. */
export type SiteWords = ReturnType<typeof createSiteWords>;

/** `pages`: the number of the site's pages; `known`: counts from its vocabulary. */
function createSiteWords(pages: number, known: ReadonlyMap<string, number>, isCommon: (word: string) => boolean) {
  // A list of maps: merging hundreds of counts into one took longer than two look-ups.
  let counts = [known];
  const byWord = new Map<string, number>();
  const logOfAll = Math.log(1 + pages);
  const countOf = (word: string): number => {
    for (const map of counts) {
      const count = map.get(word);
      if (count !== undefined) return count;
    }
    return 0;
  };
  const pagesWith = (word: string): number => {
    let max = byWord.get(word);
    if (max === undefined) {
      max = 0;
      for (const form of wordForms(word)) max = Math.max(max, countOf(form));
      byWord.set(word, max);
    }
    return max;
  };
  return {
    isKnown: (word: string): boolean => pagesWith(word) > 0,
    /** Tells whether a page has the word in just this form, or the word is a common word: then it is not a slip. */
    isWritten: (word: string): boolean => countOf(word) > 0 || isCommon(word),
    /** The number of pages that contain the word's most common form. */
    pagesWith,
    /** The weight of a word of content, see {@link termWeight}. */
    termWeight: (word: string): number => termWeight(pagesWith(word), pages),
    /** The weight of a path's word, 0 to 1: log(1 + N/d) / log(1 + N) for a word on d of N pages, 1 if unknown. */
    pathWeight: (word: string): number => {
      const count = countOf(word);
      return count <= 1 ? 1 : Math.log(1 + pages / count) / logOfAll;
    },
    /** Adds counts, which come before those that are known, because they are read most. */
    add: (added: ReadonlyMap<string, number>): void => {
      counts = [added, ...counts];
      byWord.clear();
    },
  };
}

/** Corrects a dead path's spelling by the project's vocabulary; common words are no slips of other words. */
export async function understandPath(
  { vocabulary }: { vocabulary: Vocabulary },
  space: IndexedTenant,
  { words, slug }: DeadPath,
): Promise<UnderstoodPath> {
  if (words.length === 0) return { words: { words, slug }, corrections: [], counts: new Map() };
  const { known, near } = await vocabulary.spelling(space, words);
  return { ...correctSpelling({ words, slug }, known, near, (word) => vocabulary.isCommon(word)), counts: known };
}
