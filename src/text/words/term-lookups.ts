import { MAX_TERM_ID } from './terms.js';

/** Alternative sets of keys (db/functions/term_keys.sql): the pages found have all keys of one of the sets. */
export type TermLookup = readonly (readonly number[])[];

/** The number of pages that are read for single terms; each page takes some 3 µs. */
export interface LookupBudget {
  /** The number of pages for rare terms: all pages that contain them. */
  rare: number;
  /** The number of pages for more common terms: only the pages in which they have a high weight. */
  common: number;
}

/** For a question: a page about one word may be the best. `rare: 3_000` finds none better, in 1.5 times the time. */
export const QUESTION_BUDGET: LookupBudget = { rare: 1_000, common: 1_000 };
/** For a path: pages about a single word displace those with several. With `common`, .98 of the best became .963. */
export const PATH_BUDGET: LookupBudget = { rare: 3_000, common: 0 };

/** The keys of a term (db/functions/term_keys.sql): for all its pages, and those of weight .33, .5 or .7 or more. */
const KEYS = {
  all: (term: number): number => term,
  third: (term: number): number => term + MAX_TERM_ID,
  half: (term: number): number => -term,
  high: (term: number): number => -term - MAX_TERM_ID,
};

/** The share of a term's pages in which its weight reaches the key's: of 3,000 pages of help and encyclopedia. */
const WEIGHT_SHARES = [
  { share: 0.5, key: KEYS.third },
  { share: 0.25, key: KEYS.half },
  { share: 0.1, key: KEYS.high },
];

/**
 * Chooses the pages to score from an index that cannot rank: tiered indexes (Manning, Raghavan and Schütze 2008,
 * section 7.2). First single terms, the rarest first, within the budget: all of their pages, or those with a high
 * weight. Then combinations of the rarest terms that were not looked up completely: two with a high weight, or three
 * with a lower one. docs/evidence/benchmarks.md has the figures.
 * @param terms of a question, with the number of pages that contain each
 */
export function chooseTermLookups(terms: readonly { term: number; pages: number }[], budget: LookupBudget) {
  const byRarity = [...new Map(terms.filter(({ pages }) => pages > 0).map((term) => [term.term, term])).values()].sort(
    (a, b) => a.pages - b.pages || a.term - b.term,
  );
  const single: number[][] = [];
  const common: number[] = [];
  const left = { ...budget };
  for (const { term, pages } of byRarity) {
    if (pages <= left.rare) {
      single.push([KEYS.all(term)]);
      left.rare -= pages;
      continue;
    }
    common.push(term);
    const tier = WEIGHT_SHARES.find(({ share }) => pages * share <= left.common);
    if (!tier) continue;
    single.push([tier.key(term)]);
    left.common -= pages * tier.share;
  }
  return [...(single.length > 0 ? [single] : []), ...combineTerms(common, single.length > 0)];
}

function combineTerms([first, second, third]: readonly number[], othersFound: boolean): TermLookup[] {
  if (first === undefined) return [];
  if (second === undefined)
    return [[[KEYS.high(first)]], [[KEYS.half(first)]], ...(othersFound ? [] : [[[KEYS.all(first)]]])];
  return [
    [[KEYS.half(first), KEYS.half(second)]],
    [[KEYS.half(first), KEYS.third(second)]],
    [third === undefined ? [KEYS.all(first), KEYS.all(second)] : [first, second, third].map(KEYS.third)],
  ];
}
