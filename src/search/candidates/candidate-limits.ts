import type { CandidateLimits, ChoosingWeights } from '../store/by-path.js';
import { isFiltered, type SearchSpace } from '../store/space.js';
import type { PathAndContentEvidence, Weights } from '../ranking/scores/calibration.js';
import { MAX_NEIGHBOURS, MIN_COVER } from '../ranking/evidence/word-association.js';

/** The requested number of suggestions is added. Other values were measured (docs/benchmarks.md). */
const BY_SUM = 40;
const MIN_PER_KIND = 8;
/** With filters the answer is that of a full scan: more of the matching pages become candidates. */
const FILTERED_BY_SUM = 2_000;
const FILTERED_MIN_PER_KIND = 100;

/** Limits for a path without words: pages of known moves, and those with the version that the path names. */
export const WITHOUT_WORDS: CandidateLimits = {
  bySum: 0,
  perKind: 0,
  withVersion: MIN_PER_KIND,
  neighbours: 0,
  minCover: 1,
};

/** `limit`: the requested number of suggestions. */
export function candidateLimits(space: SearchSpace, limit: number): CandidateLimits {
  const filtered = isFiltered(space);
  const perKind = Math.max(filtered ? FILTERED_MIN_PER_KIND : MIN_PER_KIND, limit);
  return {
    bySum: filtered ? FILTERED_BY_SUM : BY_SUM + limit,
    perKind,
    withVersion: perKind,
    neighbours: MAX_NEIGHBOURS,
    minCover: MIN_COVER,
  };
}

/**
 * The similarity of trigrams represents all evidence that needs a comparison of paths. Whether a live path is near is
 * known when the candidates are: they are chosen as if none were.
 */
export function choosingWeights(weights: Weights<PathAndContentEvidence>): ChoosingWeights {
  return {
    dense: weights.dense + weights.denseIfFar,
    beginning: weights.beginning + weights.beginningIfFar,
    denseTitle: weights.denseTitle,
    denseMax: weights.denseMax,
    denseSlug: weights.denseSlug,
    lexical: weights.lexical + weights.lexicalIfFar,
    slugLexical: weights.slugLexical + weights.slugLexicalIfFar,
    path: weights.pathTrigrams + weights.nearCopy + weights.words + weights.prefix,
    slug: weights.slugTrigrams + weights.slugEdit,
  };
}
