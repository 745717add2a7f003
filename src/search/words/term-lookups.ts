import { MOST_TERM_IDS } from './terms.js';

/** Pages of rare terms that are looked at for their wording, in a project with indexes of its own: some 10 ms of scoring. */
const ENOUGH_PAGES = 3_000;

/** A term of a question and the number of pages that hold it. */
export interface HeldTerm {
  term: number;
  pages: number;
}

/** Sets of keys (db/functions/term_keys.sql): finds the pages that have all keys of one of these sets, up to a limit. */
export type TermLookup = readonly (readonly number[])[];

/** The keys of a term: of all pages that hold it, and of those that it is worth so much in (the weights of terms.ts). */
const KEYS = {
  held: (term: number): number => term,
  third: (term: number): number => term + MOST_TERM_IDS,
  half: (term: number): number => -term,
  most: (term: number): number => -term - MOST_TERM_IDS,
};

/**
 * How the pages worth scoring are found in an index that cannot rank: by tiers (Manning, Raghavan and Schütze 2008,
 * section 7.2). All pages of the rare terms, the rarest first, while together they are few. Of those that are common,
 * which have little of the question's weight, so many of the rarest together that few pages would hold them all, were
 * they strewn independently; and the pages that the rarest two are worth much in. Of a million passages that finds .998
 * of a scan's ten best, where the first of the pages that hold them were .978, as fast (docs/benchmarks.md).
 */
export function termLookups(terms: readonly HeldTerm[], allPages: number): TermLookup[] {
  const held = [...new Map(terms.filter(({ pages }) => pages > 0).map((one) => [one.term, one])).values()].sort((a, b) => a.pages - b.pages || a.term - b.term);
  const rare: number[][] = [];
  let left = ENOUGH_PAGES;
  for (const { term, pages } of held) {
    if (pages > left) break;
    rare.push([KEYS.held(term)]);
    left -= pages;
  }
  const lookups: TermLookup[] = rare.length > 0 ? [rare] : [];
  const common = held.slice(rare.length);
  const [first, second] = common;
  if (!first) return lookups;
  if (!second) return [...lookups, [[KEYS.most(first.term)]], [[KEYS.half(first.term)]], ...(rare.length > 0 ? [] : [[[KEYS.held(first.term)]]])];
  return [
    ...lookups,
    [[KEYS.half(first.term), KEYS.half(second.term)]],
    [[KEYS.half(first.term), KEYS.third(second.term)]],
    [heldTogether(common, allPages, left)],
  ];
}

function heldTogether(common: readonly HeldTerm[], allPages: number, enough: number): number[] {
  const together: number[] = [];
  let expected = allPages;
  for (const { term, pages } of common) {
    together.push(KEYS.held(term));
    expected *= pages / Math.max(1, allPages);
    if (together.length > 1 && expected <= enough) break;
  }
  return together;
}
