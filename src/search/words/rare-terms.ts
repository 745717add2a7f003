/** Pages that are looked at for their wording, at most, in a project with indexes of its own: some 10 ms of scoring. */
const MOST_PAGES = 4_000;
/** Sets of several terms, at most: each is a look into the index. */
const MOST_SETS = 12;
/** Common terms that are combined: of a long question those that weigh most. */
const MOST_COMMON = 6;

/** A term of a question and the number of pages that hold it. */
export interface HeldTerm {
  term: number;
  pages: number;
}

/**
 * Which sets of terms find the pages worth scoring: the rare terms by themselves, the rarest first, while all their pages
 * together are few; of those that are common, all together, then all but one, and so on, as far as they would be few if
 * they were strewn independently. What has none of these has little of the question's weight, which is an inverse
 * document frequency.
 */
export function rareTerms(terms: readonly HeldTerm[], allPages: number): number[][] {
  const held = [...new Map(terms.filter(({ pages }) => pages > 0).map((one) => [one.term, one])).values()].sort((a, b) => a.pages - b.pages || a.term - b.term);
  const sets: number[][] = [];
  let left = MOST_PAGES;
  let rare = 0;
  for (const { term, pages } of held) {
    if (pages > left) break;
    sets.push([term]);
    left -= pages;
    rare++;
  }
  const common = held.slice(rare, rare + MOST_COMMON);
  const several = subsets(common)
    .filter((subset) => subset.length > 1 || (sets.length === 0 && common.length === 1))
    .map((subset) => ({ subset, pages: subset.reduce((expected, { pages }) => (expected * pages) / Math.max(1, allPages), allPages) }))
    .sort((a, b) => b.subset.length - a.subset.length || a.pages - b.pages);
  for (const { subset, pages } of several.slice(0, MOST_SETS)) {
    // The largest set is always looked for: a question of common words must not find nothing.
    if (pages > left && (sets.length > rare || rare > 0)) continue;
    sets.push(subset.map(({ term }) => term));
    left -= pages;
  }
  return sets;
}

function subsets<T>(items: readonly T[]): T[][] {
  return items.reduce<T[][]>((all, item) => [...all, ...all.map((subset) => [...subset, item])], [[]]).filter((subset) => subset.length > 0);
}
