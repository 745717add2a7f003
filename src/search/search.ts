import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.js';
import { answeringModel } from '../database/queries/models.js';
import { loadFoundPages, loadRetrievedPages, type Scope } from '../database/queries/search.js';
import type { Filters, SearchKind } from '../glossary.js';
import type { Metrics } from '../metrics.js';
import { parseExclusion } from '../pages/page-url.js';
import type { FoundSuggestion, SearchAnswer } from './answer.js';
import { describePath } from './sanitize-path.js';
import type { Calibration } from './score.js';
import type { SearchCache } from './search-cache.js';
import type { SearchLog } from './search-log.js';
import type { CandidateDeps } from './candidates.js';
import { rankForPath, rankForPathByContent, rankForQuery, type Ranked } from './suggest.js';

export interface SearchDeps extends CandidateDeps {
  cache: SearchCache;
  log: SearchLog;
  metrics: Metrics;
  clock: Clock;
  calibrationOf: (modelId: number) => Promise<Calibration>;
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

/** For whom: from the request's admission. */
export interface SearchCaller {
  projectId: string;
  isTest: boolean;
  modelId: number | null;
  indexVersion: number;
}

/** One search: from the cache if it may, else from the index; logged under an identifier of its own either way. */
export async function search(
  deps: SearchDeps,
  caller: SearchCaller,
  request: SearchRequest,
  signal?: AbortSignal,
): Promise<{ searchId: string; answer: SearchAnswer }> {
  const startedAt = performance.now();
  const filtered = Object.keys(request.filters).length > 0;
  const key = filtered ? undefined : cacheKey(deps, caller, request);
  const cached = key === undefined ? undefined : deps.cache.get(key);
  const answer =
    cached ??
    (await underOneModel(deps, caller, (now) => searchIndex(deps, now, request, signal), (found) => found.suggestions.length === 0));
  if (key !== undefined && !cached) deps.cache.set(key, answer);

  const searchId = randomUUID();
  const answeredBy = answer.suggestions.length === 0 ? 'nothing' : cached ? 'cache' : 'index';
  deps.metrics.searches.inc({ kind: request.kind, answer: answeredBy });
  deps.log.add({
    project_id: caller.projectId,
    search_id: searchId,
    searched_at: new Date(deps.clock.now()).toISOString(),
    kind: request.kind,
    is_test: caller.isTest,
    input: request.input,
    understood: answer.understood,
    filtered,
    threshold: request.threshold,
    results: answer.suggestions.map(({ pageId, url, score }) => ({ page_id: pageId, url, score })),
    best_score: answer.suggestions[0]?.score ?? null,
    cached: cached !== undefined,
    took_ms: performance.now() - startedAt,
  });
  return { searchId, answer };
}

/** Everything that changes an answer. */
function cacheKey(deps: SearchDeps, caller: SearchCaller, request: SearchRequest): string {
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

/**
 * Runs a search, and again if another model took over the project under it: the vectors that it looked for are gone
 * then. Where the configured model answers and something was found, nothing can have been missed.
 */
async function underOneModel<Answer>(
  deps: SearchDeps,
  caller: SearchCaller,
  run: (caller: SearchCaller) => Promise<Answer>,
  isEmpty: (answer: Answer) => boolean,
): Promise<Answer> {
  const answer = await run(caller);
  if (caller.modelId === null || (caller.modelId === deps.models.configured.modelId && !isEmpty(answer))) return answer;
  const modelId = await answeringModel(deps.db, caller.projectId);
  return modelId === caller.modelId ? answer : run({ ...caller, modelId });
}

async function searchIndex(deps: SearchDeps, caller: SearchCaller, request: SearchRequest, signal?: AbortSignal): Promise<SearchAnswer> {
  const scope = await scopeOf(deps, caller, request);
  const calibration = await deps.calibrationOf(scope.modelId);
  const takesPath = request.kind === 'suggest' || request.kind === 'proxy';
  const { understood, ranked } = !takesPath
    ? await rankForQuery(deps, calibration.query, scope, request.input, request.limit, signal)
    : deps.pathEvidence
      ? await rankForPath(deps, calibration.suggest, scope, request.input, request.limit, signal)
      : await rankForPathByContent(deps, calibration.pathAsText, scope, request.input, request.limit, signal);
  const best = ranked.slice(0, request.limit).filter(({ score }) => score >= request.threshold);
  return { understood, suggestions: await describe(deps, caller.projectId, best, request.explain) };
}

async function describe(deps: SearchDeps, projectId: string, best: readonly Ranked[], explained: boolean): Promise<FoundSuggestion[]> {
  if (best.length === 0) return [];
  const pages = await loadFoundPages(deps.db, projectId, best.map(({ pageId }) => pageId));
  return best.flatMap(({ pageId, score, explain }) => {
    const page = pages.get(pageId);
    // Deleted between the two queries.
    if (!page) return [];
    const metadata = page.metadata && Object.keys(page.metadata).length > 0 ? page.metadata : undefined;
    return [{ pageId, href: page.url, url: page.path, title: page.title ?? describePath(page.path), score, metadata, explanation: explained ? explain() : undefined }];
  });
}

export interface RetrievedDocument {
  id: string;
  url: string;
  title: string | null;
  content: string;
  score: number;
  metadata: FoundSuggestion['metadata'];
}

interface RetrieveRequest {
  query: string;
  topK: number;
  filters: Filters;
}

/** Whole documents for a query, best first, without a threshold; neither cached nor logged as a search. */
export function retrieve(
  deps: SearchDeps,
  caller: SearchCaller,
  request: RetrieveRequest,
  signal?: AbortSignal,
): Promise<RetrievedDocument[]> {
  return underOneModel(deps, caller, (now) => retrieveOnce(deps, now, request, signal), (documents) => documents.length === 0);
}

async function retrieveOnce(
  deps: SearchDeps,
  caller: SearchCaller,
  request: RetrieveRequest,
  signal?: AbortSignal,
): Promise<RetrievedDocument[]> {
  const scope = await scopeOf(deps, caller, { filters: request.filters, excludeUrls: [] });
  const calibration = await deps.calibrationOf(scope.modelId);
  const { ranked: all } = await rankForQuery(deps, calibration.query, scope, request.query, request.topK, signal);
  const ranked = all.slice(0, request.topK);
  const pages = await loadRetrievedPages(deps.db, caller.projectId, ranked.map(({ pageId }) => pageId));
  return ranked.flatMap(({ pageId, score }) => {
    const page = pages.get(pageId);
    if (!page) return [];
    const metadata = page.metadata && Object.keys(page.metadata).length > 0 ? page.metadata : undefined;
    return [{ id: pageId, url: page.url, title: page.title, content: page.content, score, metadata }];
  });
}

async function scopeOf(deps: SearchDeps, caller: SearchCaller, request: Pick<SearchRequest, 'filters' | 'excludeUrls'>): Promise<Scope> {
  const exclusions = request.excludeUrls.map(parseExclusion);
  // An old model that this machine does not have any more cannot answer; what is embedded anew already can.
  const { modelId: own } = caller;
  const modelId = own !== null && (await deps.models.available(own)) ? own : deps.models.configured.modelId;
  return {
    projectId: caller.projectId,
    modelId,
    filters: request.filters,
    excludedUrls: exclusions.flatMap((one) => ('href' in one ? [one.href] : [])),
    excludedPaths: exclusions.flatMap((one) => ('path' in one ? [one.path] : [])),
  };
}
