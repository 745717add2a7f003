/** Pages that are looked at for their wording, at most, in a project with indexes of its own: some 6 ms of scoring. */
const MOST_PAGES = 2_000;

/** A term of a question and the number of pages that hold it. */
export interface HeldTerm {
  term: number;
  pages: number;
}

/**
 * Which sets of terms find the pages worth scoring: the rare terms by themselves, the rarest first, while all their pages
 * together are few; of those that are common, as many together as make them rare, were they strewn independently. What
 * has none of these has little of the question's weight, which is an inverse document frequency.
 */
export function rareTerms(terms: readonly HeldTerm[], allPages: number): number[][] {
  const held = terms.filter(({ pages }) => pages > 0).sort((a, b) => a.pages - b.pages || a.term - b.term);
  const sets: number[][] = [];
  let left = MOST_PAGES;
  let at = 0;
  for (let one = held[0]; one !== undefined && one.pages <= left; one = held[at]) {
    sets.push([one.term]);
    left -= one.pages;
    at++;
  }
  const common = held.slice(at);
  let expected = allPages;
  for (let many = 1; many <= common.length; many++) {
    expected *= (common[many - 1]?.pages ?? 0) / Math.max(1, allPages);
    if (many > 1 && expected <= left) {
      sets.push(common.slice(0, many).map(({ term }) => term));
      break;
    }
    if (many === common.length && sets.length === 0) sets.push(common.map(({ term }) => term));
  }
  return sets;
}
