import type { SearchSpace } from '../store/space.js';
import { moveKeys } from '../../text/paths/move-keys.js';
import type { DeadPath } from '../../text/paths/dead-path.js';
import type { CandidateDeps } from './word-look-ups.js';
import { findContentCandidates, type ContentCandidate } from './content-candidates.js';
import { embedPath } from './embed-path.js';
import { understandPath } from './understand-path.js';
import { type UnderstoodPath } from '../ranking/spelling/correct-spelling.js';
import type { QuestionEvidence, Ranking, QuestionCurve } from '../ranking/scores/calibration.js';
import { explain, explainAmong, partsOf } from '../ranking/scores/explanation.js';
import {
  sortByScore,
  MAX_CONTRADICTED_SCORE,
  MAX_DOUBTED_SCORE,
  type Ranked,
  type RankedAnswer,
  type RankedPage,
} from './ranked.js';
import { isContradictedBy } from '../../text/paths/identities.js';
import { rankValue, scoreQuestion } from '../ranking/scores/score.js';

/** Ranks pages by content for a query in natural language. */
export async function rankForQuery(
  deps: CandidateDeps,
  ranking: Ranking<QuestionEvidence, QuestionCurve>,
  space: SearchSpace,
  query: string,
  limit: number,
  signal?: AbortSignal,
): Promise<RankedAnswer> {
  const found = await findContentCandidates(deps, space, ranking.rank, query, limit, signal);
  return {
    understood: query,
    ranked: rankContent(ranking, found, undefined, () => 1),
    byVectors: hasVectorEvidence(found),
  };
}

/** Ranks pages by content for a dead path: suggest without path evidence. */
export async function rankForPathByContent(
  deps: CandidateDeps,
  ranking: Ranking<QuestionEvidence, QuestionCurve>,
  space: SearchSpace,
  path: DeadPath,
  limit: number,
  signal?: AbortSignal,
): Promise<RankedAnswer> {
  const understood = await understandPath(deps, space, path);
  const text = understood.words.words.join(' ');
  if (text === '') return { understood: text, ranked: [], byVectors: false };
  const maxScore = (page: RankedPage): number => {
    if (path.isProbe) return MAX_DOUBTED_SCORE;
    return isContradictedBy(path.identities, page.path) ? MAX_CONTRADICTED_SCORE : 1;
  };
  const { keys } = moveKeys(path.plain);
  const vector = embedPath(deps.models, space.modelId, understood.words, signal);
  const found = await findContentCandidates(deps, space, ranking.rank, text, limit, signal, keys, vector);
  return {
    understood: text,
    ranked: rankContent(ranking, found, understood, maxScore),
    byVectors: hasVectorEvidence(found),
  };
}

/** That of a question with the page that answers it, where no vectors say it: words alone answer then. */
const USUAL_COSINE = 0.4;

function hasVectorEvidence(candidates: readonly ContentCandidate[]): boolean {
  return candidates.some(({ evidence }) => evidence.dense > 0);
}

function rankContent(
  { rank: weights, score: curve }: Ranking<QuestionEvidence, QuestionCurve>,
  candidates: readonly ContentCandidate[],
  understood: UnderstoodPath | undefined,
  maxScore: (page: RankedPage) => number,
): Ranked[] {
  const values = candidates.map(({ evidence }) => rankValue(weights, evidence));
  const best = candidates[values.indexOf(Math.max(...values))];
  const cosine = hasVectorEvidence(candidates) ? (best?.evidence.dense ?? 0) : USUAL_COSINE;
  const scores = scoreQuestion(curve, values, cosine);
  const evidenceOf = explainAmong(() => candidates.map(({ evidence }) => partsOf(weights, evidence)));
  return sortByScore(
    candidates.map(({ pageId, page, isExcluded }, i) => ({
      pageId,
      value: values[i] ?? 0,
      score: Math.min(maxScore(page), scores[i] ?? 0),
      page,
      isExcluded,
      explain: () => explain(evidenceOf(i), understood),
    })),
  ).filter(({ isExcluded }) => !isExcluded);
}
