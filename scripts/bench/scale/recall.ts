import type { Scope } from '#src/database/queries/search/scope.js';
import { parseCalibration } from '#src/search/calibration.js';
import { rankForPath, rankForQuery, type Ranked } from '#src/search/suggest.js';
import type { Service } from '#src/service.js';
import { rounded } from '../harness.js';
import { quantile } from '../many-pages.js';
import type { ScaleCase } from './cases.js';

function scopeOf(service: Service, projectId: string): Scope {
  return {
    ...service.deps.tenants.of(projectId), modelId: service.models.configured.modelId, indexVersion: 2, filters: {}, excludedUrls: [], excludedPaths: { paths: [], keys: [] },
  };
}

/**
 * The share of a full scan's ten best that a search finds; a page as good as the tenth counts as it. For suggest, the
 * share of its three best, which are all that it shows, and how often the first is as good.
 */
export async function recallOf(service: Service, projectId: string, cases: readonly ScaleCase[]): Promise<Record<string, number>> {
  const { deps } = service;
  const calibration = parseCalibration(service.models.configured.model.manifest.calibration);
  await deps.ownIndexes.refresh();
  const exact = scopeOf(service, projectId);
  const segments = deps.ownIndexes.segments(projectId, exact.modelId);
  if (segments === undefined) return { exact: 1 };
  const quick: Scope = { ...exact, segments };
  const found = { query: 0, queryOf: 0, suggest: 0, suggestOf: 0, first: 0 };
  const common = (all: readonly Ranked[], own: readonly Ranked[]): number => {
    // Four decimals are what an answer shows.
    const least = (all.at(-1)?.score ?? 0) - 0.0001;
    return Math.min(all.length, own.filter(({ score }) => score >= least).length);
  };
  const pages = (ranked: readonly Ranked[]): Set<string> => new Set(ranked.map(({ pageId }) => pageId));
  for (const { question, path } of cases) {
    const [all, own] = [await rankForQuery(deps, calibration.query, exact, question, 10), await rankForQuery(deps, calibration.query, quick, question, 10)];
    found.query += common(all.ranked.slice(0, 10), own.ranked.slice(0, 10));
    found.queryOf += Math.min(10, all.ranked.length);
    const [allPaths, ownPaths] = [await rankForPath(deps, calibration.suggest, exact, path, 3), await rankForPath(deps, calibration.suggest, quick, path, 3)];
    const best = allPaths.ranked.slice(0, 3);
    const mine = pages(ownPaths.ranked.slice(0, 3));
    found.suggest += best.filter(({ pageId }) => mine.has(pageId)).length;
    found.suggestOf += best.length;
    found.first += Number(best[0]?.pageId === ownPaths.ranked[0]?.pageId);
  }
  return {
    query_recall_10: rounded(found.query / found.queryOf),
    suggest_recall_3: rounded(found.suggest / found.suggestOf),
    suggest_first: rounded(found.first / cases.length),
  };
}

/** Filters at several selectivities over HTTP, against all pages of the project in order, filtered by hand. */
export async function filteredExactly(service: Service, projectId: string, key: string, asked: number): Promise<Record<string, unknown>> {
  const { deps } = service;
  const { pool } = service.database.connection;
  const calibration = parseCalibration(service.models.configured.model.manifest.calibration);
  const { rows } = await pool.query<{ content: string }>(
    'select content from pathmend.pages where project_id = $1 order by md5(page_id) limit $2', [projectId, Math.max(1, Math.round(asked))],
  );
  const metadata = new Map(
    (await pool.query<{ page_id: string; metadata: Record<string, number> }>('select page_id, metadata from pathmend.pages where project_id = $1', [projectId])).rows
      .map((row) => [row.page_id, row.metadata]),
  );
  const report: Record<string, unknown> = {};
  for (const filter of ['half', 'tenth', 'hundredth', 'thousandth']) {
    const times: number[] = [];
    let [right, of] = [0, 0];
    for (const { content } of rows) {
      const query = content.split(/\s+/).slice(3, 9).join(' ');
      const { ranked } = await rankForQuery(deps, calibration.query, scopeOf(service, projectId), query, metadata.size);
      const expected = ranked.filter(({ pageId }) => metadata.get(pageId)?.[filter] === 1).slice(0, 10);
      const from = performance.now();
      const answer = await fetch(`${service.url}/v1/semantic-search`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}` },
        body: JSON.stringify({ query, limit: 10, options: { searchThreshold: 0, filters: { [filter]: 1 } } }),
      });
      const { suggestions } = (await answer.json()) as { suggestions: { url: string }[] };
      times.push(performance.now() - from);
      // Pages of equal evidence stand in the order of their identifiers in both.
      right += expected.filter(({ page }, i) => suggestions[i]?.url === page.path).length;
      of += expected.length;
    }
    report[filter] = { recall: rounded(of === 0 ? 1 : right / of), p50_ms: rounded(quantile(times, 0.5)), p95_ms: rounded(quantile(times, 0.95)) };
  }
  return report;
}
