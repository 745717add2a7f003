/**
 * What the content of a page says, times how far the dead path is from the paths of all candidates: 1 minus the largest
 * similarity of last segments. Where a live path is nearly the dead one, its letters decide; where none is, a visitor
 * used other words, and what a page means counts for more. Sites left out: redirects .757 right in place of .750,
 * mistyped paths .992 in place of .990 (docs/relevance.md).
 */
export type FarEvidence = Record<`${Gated}IfFar`, number>;

type Gated = 'dense' | 'beginning' | 'lexical' | 'slugLexical';

/** Sets the {@link FarEvidence} of all candidates of a dead path. */
export function compareCandidates(candidates: readonly (FarEvidence & Record<Gated | 'slugEdit', number>)[]): void {
  const nearest = candidates.reduce((max, one) => Math.max(max, one.slugEdit, one.slugLexical), 0);
  const far = Math.max(0, 1 - nearest);
  for (const one of candidates) {
    one.denseIfFar = far * one.dense;
    one.beginningIfFar = far * one.beginning;
    one.lexicalIfFar = far * one.lexical;
    one.slugLexicalIfFar = far * one.slugLexical;
  }
}
