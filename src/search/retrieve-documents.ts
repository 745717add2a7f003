import type { Filters, JsonObject } from '../glossary.js';
import type { Caller } from '../keys/caller.js';
import { rankForQuery } from './rank/rank-for-query.js';
import { searchIndex, type IndexDeps } from './search-index.js';

interface RetrievedDocument {
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

/** Finds whole documents for a query, best first, without a threshold. Not cached and not logged. */
export function retrieve(
  deps: IndexDeps,
  caller: Caller,
  { query, topK, filters }: RetrieveRequest,
  signal?: AbortSignal,
): Promise<RetrievedDocument[]> {
  return searchIndex(deps, caller, { filters, excludeUrls: [] }, signal, async (space, calibration) => {
    const { ranked, byVectors } = await rankForQuery(deps, calibration.query, space, query, topK, true, signal);
    const answer = ranked.slice(0, topK).map(({ pageId, score, page }) => {
      const all = page.metadata() ?? {};
      const metadata = Object.keys(all).length > 0 ? all : undefined;
      return { id: pageId, url: page.url, title: page.title, content: page.content ?? '', score, metadata };
    });
    return { answer, byVectors };
  });
}
