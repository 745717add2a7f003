/** The minimum number of decisions for an estimate. The usual share weighs as much as this number of decisions. */
export const MIN_DECISIONS = 30;
/** The share of dead paths without a page among the cases on which scores were calibrated. */
const USUAL_SHARE = 1 / 3;

/**
 * The counts behind the estimate. `gone`, `accepted` and `ignored` are decisions about literal paths. `shown` and
 * `redirected` are missing paths that the inbox showed or that guesses redirected. `judgedRight` are judgements that a
 * guess is right.
 */
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
  // The inbox showed every path that was decided, even if its 404s are no longer stored.
  const live = Math.max(judgedRight, (decided + ignored) * (redirected / Math.max(shown, decided + ignored)));
  return ((decided * gone) / (decided + live) + MIN_DECISIONS * USUAL_SHARE) / (decided + MIN_DECISIONS);
}

/**
 * The shift of how sure a guess is, in log-odds; it lowers scores where more paths are gone than usual. It never raises
 * them: where fewer are gone, higher scores would redirect too many paths that are.
 */
export function goneShift(share: number | null | undefined): number {
  return Math.min(0, Math.log((1 / (share ?? USUAL_SHARE) - 1) / (1 / USUAL_SHARE - 1)));
}
