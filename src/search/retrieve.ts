import type { Filters, JsonObject } from '../glossary.js';
import type { Caller } from '../keys/caller.js';
import { scopeOf, underOneModel, type IndexDeps } from './scope.js';
import { rankForQuery } from './rank/suggest.js';

export interface RetrievedDocument {
  id: string;
  url: string;
  title: string | null;
  content: string;
  score: number;
  metadata: JsonObject | undefined;
}

interface RetrieveRequest {
  query: string;
  topK: number;
  filters: Filters;
}

/** Whole documents for a query, best first, without a threshold; neither cached nor logged as a search. */
export function retrieve(
  deps: IndexDeps,
  caller: Caller,
  request: RetrieveRequest,
  signal?: AbortSignal,
): Promise<RetrievedDocument[]> {
  return underOneModel(deps, caller, signal, (now) => retrieveOnce(deps, now, request, signal));
}

async function retrieveOnce(
  deps: IndexDeps,
  caller: Caller,
  request: RetrieveRequest,
  signal?: AbortSignal,
): Promise<{ answer: RetrievedDocument[]; byMeaning: boolean }> {
  const scope = await scopeOf(deps, caller, { filters: request.filters, excludeUrls: [] });
  const calibration = await deps.calibrationOf(scope.modelId);
  const { ranked, byMeaning } = await rankForQuery(
    deps,
    calibration.query,
    scope,
    request.query,
    request.topK,
    true,
    signal,
  );
  const answer = ranked.slice(0, request.topK).map(({ pageId, score, page }) => {
    const all = page.metadata() ?? {};
    const metadata = Object.keys(all).length > 0 ? all : undefined;
    return { id: pageId, url: page.url, title: page.title, content: page.content ?? '', score, metadata };
  });
  return { answer, byMeaning };
}
