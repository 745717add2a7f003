import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.js';
import { loadMetadata } from '../database/queries/page-metadata.js';
import { isFiltered } from '../database/queries/search/scope.js';
import type { Filters, JsonObject, SearchKind } from '../glossary.js';
import type { Bulkheads } from '../load/bulkheads.js';
import type { Metrics } from '../metrics.js';
import type { FoundSuggestion, SearchAnswer } from './answer.js';
import type { Caller } from '../keys/caller.js';
import { scopeOf, underOneModel, type IndexDeps } from './scope.js';
import { describePath } from '../text/paths/sanitize-path.js';
import type { SearchCache } from './search-cache.js';
import { factsOf } from './search-facts.js';
import type { SearchLog } from './search-log.js';
import type { SingleFlight } from '../load/single-flight.js';
import { rankForPath, rankForPathByContent, rankForQuery, type Ranked } from './rank/suggest.js';

export interface SearchDeps extends IndexDeps {
  cache: SearchCache;
  /** Searches that are under way, by the same key as in the cache. */
  underWay: SingleFlight<SearchAnswer>;
  log: SearchLog;
  bulkheads: Bulkheads;
  metrics: Metrics;
  clock: Clock;
  /** SUGGEST_PATH_EVIDENCE. */
  pathEvidence: boolean;
}

export interface SearchRequest {
  kind: SearchKind;
  /** A dead path for suggest and proxy, a query for the others. */
  input: string;
  limit: number;
  threshold: number;
  filters: Filters;
  excludeUrls: readonly string[];
  /** Whether each suggestion says why. */
  explain: boolean;
}

/**
 * One search: from the cache if it may, else from the index, together with others of the same kind under way; logged
 * under an identifier of its own every time.
 */
export async function search(
  deps: SearchDeps,
  caller: Caller,
  request: SearchRequest,
  gone?: () => AbortSignal,
): Promise<{ searchId: string; answer: SearchAnswer }> {
  const startedAt = performance.now();
  const key = isFiltered(request) ? undefined : cacheKey(deps, caller, request);
  const cached = key === undefined ? undefined : deps.cache.get(key);
  const run = (until?: AbortSignal): Promise<SearchAnswer> =>
    deps.bulkheads.searches.run(
      caller.projectId,
      () => underOneModel(deps, caller, until, (now) => searchIndex(deps, now, request, until)),
      until,
    );
  const { result: answer, shared } = cached
    ? { result: cached, shared: false }
    : key === undefined
      ? { result: await run(gone?.()), shared: false }
      : // The key holds the version of the index: what is under way began when that was in force, or later.
        await deps.underWay.run(key, gone?.(), async (until) => {
          const found = await run(until);
          deps.cache.set(key, found);
          return found;
        });

  const searchId = randomUUID();
  const answeredBy = answer.suggestions.length === 0 ? 'nothing' : cached ? 'cache' : shared ? 'shared' : 'index';
  deps.metrics.searches.inc({ kind: request.kind, answer: answeredBy });
  deps.log.add({
    search_id: searchId,
    searched_at: new Date(deps.clock.now()).toISOString(),
    took_ms: performance.now() - startedAt,
    facts: factsOf(caller, request, answer, cached !== undefined),
  });
  return { searchId, answer };
}

/** Everything that changes an answer. */
function cacheKey(deps: SearchDeps, caller: Caller, request: SearchRequest): string {
  const takesPath = request.kind === 'suggest' || request.kind === 'proxy';
  return JSON.stringify([
    caller.projectId,
    caller.indexVersion,
    caller.modelId,
    takesPath ? (deps.pathEvidence ? 'path' : 'path as text') : 'query',
    request.input,
    request.limit,
    request.threshold,
    request.excludeUrls,
    request.explain,
  ]);
}

async function searchIndex(
  deps: SearchDeps,
  caller: Caller,
  request: SearchRequest,
  signal?: AbortSignal,
): Promise<{ answer: SearchAnswer; byMeaning: boolean }> {
  const scope = await scopeOf(deps, caller, request);
  const calibration = await deps.calibrationOf(scope.modelId);
  const takesPath = request.kind === 'suggest' || request.kind === 'proxy';
  const { understood, ranked, byMeaning } = !takesPath
    ? await rankForQuery(deps, calibration.query, scope, request.input, request.limit, false, signal)
    : deps.pathEvidence
      ? await rankForPath(deps, calibration.suggest, scope, request.input, request.limit, signal)
      : await rankForPathByContent(deps, calibration.pathAsText, scope, request.input, request.limit, signal);
  const best = ranked.slice(0, request.limit).filter(({ score }) => score >= request.threshold);
  return { answer: { understood, suggestions: await describe(caller, best, request.explain) }, byMeaning };
}

async function describe(caller: Caller, best: readonly Ranked[], explained: boolean): Promise<FoundSuggestion[]> {
  const shown = best.map((one) => ({ ...one, metadata: one.page.metadata() }));
  const unread = shown.filter(({ metadata }) => metadata === undefined).map(({ pageId }) => pageId);
  const read = unread.length === 0 ? new Map<string, JsonObject | null>() : await loadMetadata(caller, unread);
  return shown.flatMap(({ pageId, score, page, explain, metadata: own }) => {
    const all = own === undefined ? read.get(pageId) : own;
    // Deleted between the two queries.
    if (all === undefined) return [];
    const metadata = all !== null && Object.keys(all).length > 0 ? all : undefined;
    return [
      {
        pageId,
        href: page.url,
        url: page.path,
        title: page.title ?? describePath(page.path),
        score,
        metadata,
        explanation: explained ? explain() : undefined,
      },
    ];
  });
}
