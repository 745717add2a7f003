import { MAX_TERM_ID } from './terms.js';

/** A term of a question and the number of pages that hold it. */
export interface HeldTerm {
  term: number;
  pages: number;
}

/**
 * Sets of keys (db/functions/term_keys.sql): finds the pages that have all keys of one of these sets, up to a limit.
 */
export type TermLookup = readonly (readonly number[])[];

/** So many pages are looked at for single terms, some 3 µs each. */
export interface LookupBudget {
  /** All pages of rare terms. */
  held: number;
  /** Of terms that are not rare enough for that, the pages that they are worth much in. */
  much: number;
}

/**
 * A page that is about one of a question's words may be its best. Held 3,000 finds as much and takes half as long
 * again.
 */
export const OF_QUESTION: LookupBudget = { held: 1_000, much: 1_000 };
/**
 * Pages that are about one word of a path push those out that have several of its words: .98 of the best became .963.
 */
export const OF_PATH: LookupBudget = { held: 3_000, much: 0 };

/**
 * The keys of a term: of all pages that hold it, and of those that it is worth so much in (the weights of terms.ts).
 */
const KEYS = {
  held: (term: number): number => term,
  third: (term: number): number => term + MAX_TERM_ID,
  half: (term: number): number => -term,
  most: (term: number): number => -term - MAX_TERM_ID,
};

/**
 * Of the pages that hold a term, the share that it is worth so much in; counted on 3,000 pages of help and
 * encyclopedia.
 */
const MUCH = [
  { share: 0.5, key: KEYS.third },
  { share: 0.25, key: KEYS.half },
  { share: 0.1, key: KEYS.most },
];

/**
 * How the pages worth scoring are found in an index that cannot rank: by tiers (Manning, Raghavan and Schütze 2008,
 * section 7.2). Of single terms, the rarest first, all pages or those that they are worth much in, as far as the budget
 * goes. Of those that are not looked up whole, the pages that the rarest two are worth much in, and the pages that
 * three of them are worth something in; what is measured of that stands in docs/benchmarks.md.
 */
export function termLookups(terms: readonly HeldTerm[], budget: LookupBudget): TermLookup[] {
  const held = [...new Map(terms.filter(({ pages }) => pages > 0).map((one) => [one.term, one])).values()].sort(
    (a, b) => a.pages - b.pages || a.term - b.term,
  );
  const single: number[][] = [];
  const common: number[] = [];
  const left = { ...budget };
  for (const { term, pages } of held) {
    if (pages <= left.held) {
      single.push([KEYS.held(term)]);
      left.held -= pages;
      continue;
    }
    common.push(term);
    const much = MUCH.find(({ share }) => pages * share <= left.much);
    if (!much) continue;
    single.push([much.key(term)]);
    left.much -= pages * much.share;
  }
  return [...(single.length > 0 ? [single] : []), ...ofCommon(common, single.length > 0)];
}

function ofCommon([first, second, third]: readonly number[], othersFound: boolean): TermLookup[] {
  if (first === undefined) return [];
  if (second === undefined)
    return [[[KEYS.most(first)]], [[KEYS.half(first)]], ...(othersFound ? [] : [[[KEYS.held(first)]]])];
  return [
    [[KEYS.half(first), KEYS.half(second)]],
    [[KEYS.half(first), KEYS.third(second)]],
    [third === undefined ? [KEYS.held(first), KEYS.held(second)] : [first, second, third].map(KEYS.third)],
  ];
}
