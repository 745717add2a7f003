import type { SearchFacts } from '../database/queries/events.js';
import { isFiltered } from '../database/queries/search/scope.js';
import type { SearchAnswer } from './answer.js';
import type { Caller } from '../keys/caller.js';
import type { SearchRequest } from './search.js';

/** Of answers of the cache, for as long as they are kept. */
const ofHits = new WeakMap<SearchAnswer, SearchFacts>();

/**
 * What is remembered of a search. Of two hits that differ in nothing it is the same object, which is stored once for
 * both.
 */
export function factsOf(caller: Caller, request: SearchRequest, answer: SearchAnswer, cached: boolean): SearchFacts {
  const known = cached ? ofHits.get(answer) : undefined;
  // Whatever else the facts hold is part of the cache's key.
  if (known?.kind === request.kind && known.is_test === caller.isTest) return known;
  const facts: SearchFacts = {
    project_id: caller.projectId,
    kind: request.kind,
    is_test: caller.isTest,
    input: request.input,
    understood: answer.understood,
    filtered: isFiltered(request),
    threshold: request.threshold,
    results: answer.suggestions.map(({ pageId, url, score }) => ({ page_id: pageId, url, score })),
    best_score: answer.suggestions[0]?.score ?? null,
    cached,
  };
  if (cached) ofHits.set(answer, facts);
  return facts;
}
