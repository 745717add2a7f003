import type { PathCandidate } from '../../database/queries/search/by-path.js';
import type { SearchSpace } from '../../database/queries/search/space.js';
import type { JsonObject } from '../../glossary.js';
import { MAX_BY_CLICKS } from '../../moves/clicked-page.js';
import type { DeadPath } from '../../text/paths/dead-path.js';
import { looksLikeProbe } from '../../text/paths/probe-path.js';
import type { CandidateDeps } from '../evidence/candidates.js';
import { findPathCandidates, type PathCandidateEvidence } from '../evidence/path-candidates.js';
import type { Calibration } from './calibration.js';
import { explain } from './explanation.js';
import { inOrder, MAX_PROBE_SCORE, type Ranked, type RankedAnswer, type RankedPage } from './ranked.js';
import { knownValue, rankValue, scoreTogether } from './score.js';

/** Ranks the pages that a dead path may have meant; `limit` of them are given. */
export async function rankForPath(
  deps: CandidateDeps,
  { rank: weights, score: curve }: Calibration['suggest'],
  space: SearchSpace,
  path: DeadPath,
  limit: number,
  signal?: AbortSignal,
): Promise<RankedAnswer> {
  const { understood, candidates } = await findPathCandidates(deps, space, weights, path, limit, signal);
  const guesses = candidates.map(({ evidence }) => rankValue(weights, evidence));
  const values = candidates.map(({ evidence, told }, at) => (guesses[at] ?? 0) + knownValue(evidence.moved, told));
  const scores = scoreTogether(curve, values);
  // What would be answered without clicks; the same where nobody clicked.
  const clicked = candidates.some(({ evidence, told }) => evidence.moved > told);
  const unclicked = clicked
    ? scoreTogether(
        curve,
        candidates.map(({ told }, at) => (guesses[at] ?? 0) + knownValue(told, told)),
      )
    : scores;
  const best = inOrder(
    candidates.map(({ pageId, evidence, told, row }, at) => {
      // What the customer or visitors have shown is known, whatever the paths look like.
      const most = path.isProbe && !looksLikeProbe(row.path) ? MAX_PROBE_SCORE : 1;
      const score = Math.max(Math.min(most, scores[at] ?? 0), evidence.moved);
      const byClicks = evidence.moved > told ? Math.max(Math.min(most, unclicked[at] ?? 0), told, MAX_BY_CLICKS) : 1;
      return { at, pageId, value: values[at] ?? 0, score: Math.min(score, byClicks) };
    }),
  ).slice(0, limit);
  const ranked = best.map(({ at, pageId, score }): Ranked => {
    const { evidence, told, row } = candidates[at] as PathCandidateEvidence;
    return {
      pageId,
      score,
      page: pageOf(row),
      explain: () => explain(understood, weights, evidence, knownValue(evidence.moved, told)),
    };
  });
  return {
    understood: understood.words.words.join(' '),
    ranked,
    byMeaning: candidates.some(({ evidence }) => evidence.dense > 0),
  };
}

function pageOf({ url, path, title, metadata, large }: PathCandidate): RankedPage {
  return {
    url,
    path,
    title,
    metadata: () => (large === true ? undefined : metadata === null ? null : (JSON.parse(metadata) as JsonObject)),
    content: null,
  };
}
