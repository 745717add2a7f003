import type { SearchSpace } from '#src/search/store/space.js';
import { readGrowth } from '#src/pages/store/segments.js';
import { rankForQuery } from '#src/search/candidates/rank-for-query.js';
import { parseCalibration } from '#src/search/ranking/scores/calibration.js';
import { findPathCandidates } from '#src/search/candidates/path-candidates.js';
import { redirectValue, rankValue } from '#src/search/ranking/scores/score.js';
import { readDeadPath } from '#src/text/paths/dead-path.js';
import type { Service } from '#src/app/service.js';
import type { ScaleCase } from './cases.js';
import { modelOf, wholeProject } from '../../../whole-project.js';

async function spaceOf(service: Service, projectId: string): Promise<SearchSpace> {
  const { modelId } = await modelOf(service, projectId);
  return { ...wholeProject(service.deps.tenants.of(projectId), modelId), indexVersion: 2 };
}

/**
 * Pages whose sums of evidence differ by less are as good as each other: their scores differ by a thousandth at most.
 */
const AS_GOOD = 0.005;

interface Found {
  pageId: string;
  value: number;
}

/** Counts the best of a full scan that are found: themselves, or in their place pages as good as the last of them. */
function foundOf(all: readonly Found[], searchResults: readonly Found[], asGood: number): number {
  const least = (all.at(-1)?.value ?? 0) - asGood;
  const best = new Set(all.map(({ pageId }) => pageId));
  return Math.min(all.length, searchResults.filter(({ pageId, value }) => best.has(pageId) || value >= least).length);
}

/**
 * The share of a full scan's ten best that a search finds; for suggest, the share of its three best, which are all that
 * it shows, and how often the first is as good. Scores of suggest are shares of certainty among the candidates, which
 * are others in each: pages are compared by what speaks for them, and a page that both find is found.
 */
export async function recallOf(
  service: Service,
  projectId: string,
  cases: readonly ScaleCase[],
): Promise<Record<string, number>> {
  const { deps } = service;
  const calibration = parseCalibration((await modelOf(service, projectId)).model.manifest.calibration);
  await deps.ownIndexes.refresh();
  const exact = await spaceOf(service, projectId);
  const covered = deps.ownIndexes.covered(projectId, exact.modelId);
  if (covered === undefined) return { exact: 1 };
  const quick: SearchSpace = { ...exact, covered };
  const questions = async (space: SearchSpace, question: string): Promise<Found[]> =>
    (await rankForQuery(deps, calibration.query, space, question, 10)).ranked
      .slice(0, 10)
      .map(({ pageId, score }) => ({ pageId, value: score }));
  const paths = async (space: SearchSpace, path: string): Promise<Found[]> => {
    const { rank } = calibration.suggest;
    const { candidates } = await findPathCandidates(deps, space, rank, readDeadPath(path), 3);
    return candidates
      .map(({ pageId, evidence }) => ({ pageId, value: rankValue(rank, evidence) + redirectValue(evidence.moved) }))
      .sort((a, b) => b.value - a.value)
      .slice(0, 3);
  };
  const counts = { query: 0, queryOf: 0, suggest: 0, suggestOf: 0, first: 0 };
  for (const { question, path } of cases) {
    const all = await questions(exact, question);
    // Four decimals are what an answer shows.
    counts.query += foundOf(all, await questions(quick, question), 0.0001);
    counts.queryOf += all.length;
    const [best, quickPaths] = [await paths(exact, path), await paths(quick, path)];
    counts.suggest += foundOf(best, quickPaths, AS_GOOD);
    counts.suggestOf += best.length;
    counts.first += foundOf(best.slice(0, 1), quickPaths.slice(0, 1), AS_GOOD);
  }
  return {
    segments: (await readGrowth(service.db, projectId, 1))?.segments.length ?? 0,
    query_recall_10: counts.query / counts.queryOf,
    suggest_recall_3: counts.suggest / counts.suggestOf,
    suggest_first: counts.first / cases.length,
  };
}
