import { loadDocuments } from '../pages/store/page-metadata.js';
import type { Filters, JsonObject } from '../base/glossary.js';
import type { Caller } from '../projects/caller.js';
import { rankForQuery } from './candidates/rank-for-query.js';
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
    const { ranked, byVectors } = await rankForQuery(deps, calibration.query, space, query, topK, signal);
    const best = ranked.slice(0, topK);
    const documents =
      best.length === 0
        ? undefined
        : await loadDocuments(
            space,
            best.map(({ pageId }) => pageId),
          );
    const answer = best.flatMap(({ pageId, score, page: { url, title } }) => {
      const document = documents?.get(pageId);
      if (!document) return []; // It was deleted between the two statements.
      const { content, metadata: all } = document;
      const metadata = all !== null && Object.keys(all).length > 0 ? all : undefined;
      return [{ id: pageId, url, title, content, score, metadata }];
    });
    return { answer, byVectors };
  });
}
