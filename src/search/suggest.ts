import type { Scope } from '../database/queries/search.js';
import { findContentCandidates, findSuggestCandidates, type Candidate, type CandidateDeps } from './candidates.js';
import { applyCurve, leadOver, rankValue, type ContentEvidence, type Ranking, type SuggestEvidence } from './score.js';
import { understandPath } from './understand-path.js';

/** A page with its score, best first. */
export interface Ranked {
  pageId: string;
  score: number;
}

/** Ranks the pages that a dead path may have meant. */
export async function rankForPath(
  deps: CandidateDeps,
  ranking: Ranking<SuggestEvidence>,
  scope: Scope,
  path: string,
  limit: number,
  signal?: AbortSignal,
): Promise<{ understood: string; ranked: Ranked[] }> {
  const { understood, candidates } = await findSuggestCandidates(deps, scope, path, limit, signal);
  return { understood: understood.words.words.join(' '), ranked: rank(ranking, candidates) };
}

/** The same from content alone, where path evidence is switched off. */
export async function rankForPathByContent(
  deps: CandidateDeps,
  ranking: Ranking<ContentEvidence>,
  scope: Scope,
  path: string,
  limit: number,
  signal?: AbortSignal,
): Promise<{ understood: string; ranked: Ranked[] }> {
  const { words } = await understandPath(deps.db, scope.projectId, path);
  const understood = words.words.join(' ');
  if (understood === '') return { understood, ranked: [] };
  return { understood, ranked: rank(ranking, await findContentCandidates(deps, scope, understood, limit, signal)) };
}

/** Ranks pages by their content for a query in natural language, which is taken as it is. */
export async function rankForQuery(
  deps: CandidateDeps,
  ranking: Ranking<ContentEvidence>,
  scope: Scope,
  query: string,
  limit: number,
  signal?: AbortSignal,
): Promise<Ranked[]> {
  return rank(ranking, await findContentCandidates(deps, scope, query, limit, signal));
}

/** Best first; equal scores in a fixed order, so that the same question has the same answer. */
function rank<Evidence extends object>(ranking: Ranking<Evidence>, candidates: readonly Candidate<Evidence>[]): Ranked[] {
  const sorted = candidates
    .map(({ pageId, evidence }) => ({ pageId, value: rankValue(ranking, evidence) }))
    .sort((a, b) => b.value - a.value || (a.pageId < b.pageId ? -1 : 1));
  return sorted.map(({ pageId, value }, place) => {
    const bestOther = sorted[place === 0 ? 1 : 0]?.value;
    return { pageId, score: applyCurve(ranking.score, value, leadOver(value, bestOther)) };
  });
}
