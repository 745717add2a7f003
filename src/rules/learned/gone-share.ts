/** The usual share weighs as much as so many decisions; fewer say nothing. */
export const MIN_DECISIONS = 30;
/** The share of dead paths without a page among the cases of the scores' fit. */
const USUAL_SHARE = 1 / 3;

/** Decisions about literal paths, missing paths that the inbox showed or guesses redirected, and judgements. */
export type GoneEvidence = Record<'gone' | 'accepted' | 'ignored' | 'shown' | 'redirected' | 'judgedRight', number>;

/**
 * Estimates the share of a project's missing paths that are gone; null: too few are decided.
 *
 *     raw = gone / (gone + accepted + max(judgedRight, (gone + accepted + ignored) · redirected / shown))
 *     share = ((gone + accepted) · raw + 30 · 1/3) / (gone + accepted + 30)
 *
 * Decisions are mostly about paths that no guess redirected. For each of these there are `redirected / shown` others,
 * which count as live, or as many as were judged right: in a trial no guess redirects. An ignored path is neither. Few
 * decisions may be chance: they are drawn to the usual share.
 */
export function estimateGoneShare(evidence: GoneEvidence): number | null {
  const { gone, ignored, shown, redirected, judgedRight } = evidence;
  const decided = gone + evidence.accepted;
  if (decided < MIN_DECISIONS) return null;
  // The inbox had all that were decided, even if 404s are not kept for as long.
  const live = Math.max(judgedRight, (decided + ignored) * (redirected / Math.max(shown, decided + ignored)));
  return ((decided * gone) / (decided + live) + MIN_DECISIONS * USUAL_SHARE) / (decided + MIN_DECISIONS);
}

/** The shift of how sure pages are. Were fewer gone than usual, higher scores would redirect too many that are. */
export function goneShift(share: number | null | undefined): number {
  return Math.min(0, Math.log((1 / (share ?? USUAL_SHARE) - 1) / (1 / USUAL_SHARE - 1)));
}
