import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.js';
import { isFiltered } from '../database/queries/search/space.js';
import type { Caller } from '../keys/caller.js';
import type { SingleFlight } from '../load/single-flight.js';
import type { Metrics } from '../metrics.js';
import type { RuleHits } from '../rules/rule-hits.js';
import type { SearchAnswer } from './answer.js';
import { answerFromIndex, type AnswerDeps } from './answer-from-index.js';
import type { SearchCache } from './search-cache.js';
import type { SearchLog } from './search-log.js';
import { takesPath, type SearchRequest } from './search-request.js';

export interface SearchDeps extends AnswerDeps {
  cache: SearchCache;
  /** Searches in flight, by cache key. */
  inFlight: SingleFlight<SearchAnswer>;
  log: SearchLog;
  ruleHits: RuleHits;
  metrics: Metrics;
  clock: Clock;
}

interface Answered {
  answer: SearchAnswer;
  by: 'cache' | 'shared' | 'index';
}

/** Searches, and logs the search under a new id. `gone` gives the signal that the caller closed the connection. */
export async function search(
  deps: SearchDeps,
  caller: Caller,
  request: SearchRequest,
  gone?: () => AbortSignal,
): Promise<{ searchId: string; answer: SearchAnswer }> {
  const startedAt = performance.now();
  const { answer, by } = await answerTo(deps, caller, request, gone);
  const searchId = randomUUID();
  if (answer.rule && !caller.isTest) deps.ruleHits.add(caller.projectId, answer.rule, deps.clock.now());
  deps.metrics.searchSeconds.observe({ kind: request.kind, by }, (performance.now() - startedAt) / 1_000);
  deps.metrics.searches.inc({ kind: request.kind, answer: answer.suggestions.length === 0 ? 'nothing' : by });
  deps.log.add({
    search_id: searchId,
    searched_at: new Date(deps.clock.now()).toISOString(),
    took_ms: performance.now() - startedAt,
    project_id: caller.projectId,
    kind: request.kind,
    is_test: caller.isTest,
    input: request.input,
    understood: answer.understood,
    filtered: isFiltered(request),
    threshold: request.threshold,
    results: answer.suggestions.map(({ pageId, url, score }) => ({ page_id: pageId, url, score })),
    best_score: answer.suggestions[0]?.score ?? null,
    cached: by === 'cache',
  });
  return { searchId, answer };
}

async function answerTo(
  deps: SearchDeps,
  caller: Caller,
  request: SearchRequest,
  gone?: () => AbortSignal,
): Promise<Answered> {
  // Answers with filters are not cached: filters differ from caller to caller.
  if (isFiltered(request)) return { answer: await answerFromIndex(deps, caller, request, gone?.()), by: 'index' };
  const key = cacheKey(deps, caller, request);

  const cached = deps.cache.get(key);
  if (cached) return { answer: cached, by: 'cache' };

  // The key contains the index version, so a shared search sees this version of the index or a later one.
  const { result, shared } = await deps.inFlight.run(key, gone?.(), async (signal) => {
    const found = await answerFromIndex(deps, caller, request, signal);
    deps.cache.set(key, found);
    return found;
  });
  return { answer: result, by: shared ? 'shared' : 'index' };
}

/** Contains everything that changes an answer. */
function cacheKey(deps: SearchDeps, caller: Caller, request: SearchRequest): string {
  return JSON.stringify([
    caller.projectId,
    caller.indexVersion,
    caller.modelId,
    takesPath(request) ? (deps.pathEvidence ? 'path' : 'path as text') : 'query',
    request.input,
    request.limit,
    request.threshold,
    request.excludeUrls,
    request.explain,
  ]);
}
