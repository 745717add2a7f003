/** Pages that are looked at for their wording, in a project with indexes of its own: some 10 ms of scoring. */
const ENOUGH_PAGES = 3_000;

/** A term of a question and the number of pages that hold it. */
export interface HeldTerm {
  term: number;
  pages: number;
}

/**
 * Which sets of terms find the pages worth scoring: the rare terms by themselves, the rarest first, while all their pages
 * together are few; of those that are common, so many of the rarest together that few pages would hold them all, were
 * they strewn independently. One such set, because each is a look into the index that costs some 4 ms at 300,000 pages.
 * What has none of these has little of the question's weight, which is an inverse document frequency.
 */
export function rareTerms(terms: readonly HeldTerm[], allPages: number): number[][] {
  const held = [...new Map(terms.filter(({ pages }) => pages > 0).map((one) => [one.term, one])).values()].sort((a, b) => a.pages - b.pages || a.term - b.term);
  const sets: number[][] = [];
  let left = ENOUGH_PAGES;
  for (const { term, pages } of held) {
    if (pages > left) break;
    sets.push([term]);
    left -= pages;
  }
  const common = held.slice(sets.length);
  const together: number[] = [];
  let expected = allPages;
  for (const { term, pages } of common) {
    together.push(term);
    expected *= pages / Math.max(1, allPages);
    if (together.length > 1 && expected <= left) break;
  }
  // One common term beside rare ones would find more pages than anyone can look at.
  if (together.length > 1 || (together.length === 1 && sets.length === 0)) sets.push(together);
  return sets;
}
