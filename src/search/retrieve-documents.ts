import { loadDocuments, readDocumentBytes } from '../pages/store/page-metadata.js';
import type { Filters, JsonObject } from '../base/glossary.js';
import type { Caller } from '../projects/caller.js';
import { rankForQuery } from './candidates/rank-for-query.js';
import { searchIndex, type IndexDeps } from './search-index.js';

/** A page that was found, and is not read when it would make the answer too large. */
export interface FoundDocument {
  id: string;
  url: string;
  title: string | null;
  score: number;
  /** Of content and metadata, as they are stored. */
  bytes: number;
  /** Absent: left out for its size. */
  document?: { content: string; metadata: JsonObject | null } | undefined;
}

interface RetrieveRequest {
  query: string;
  topK: number;
  filters: Filters;
  /** Documents are read, best first, while their bytes have room. */
  maxBytes: number;
  /** Is told the bytes before they are read, and may refuse them. */
  hold: (bytes: number) => void;
}

/** Finds whole documents for a query, best first, without a threshold. Not cached and not logged. */
export function retrieve(
  deps: IndexDeps,
  caller: Caller,
  { query, topK, filters, maxBytes, hold }: RetrieveRequest,
  signal?: AbortSignal,
): Promise<FoundDocument[]> {
  return searchIndex(deps, caller, { filters, excludeUrls: [] }, signal, async (space, calibration) => {
    const { ranked, byVectors } = await rankForQuery(deps, calibration.query, space, query, topK, signal);
    const best = ranked.slice(0, topK);
    if (best.length === 0) return { answer: [], byVectors };
    const sizes = await readDocumentBytes(
      space,
      best.map(({ pageId }) => pageId),
    );
    let read = 0;
    const fitting = best.flatMap(({ pageId }) => {
      const bytes = sizes.get(pageId) ?? Infinity;
      if (read + bytes > maxBytes) return [];
      read += bytes;
      return [pageId];
    });
    hold(read);
    const documents = fitting.length === 0 ? undefined : await loadDocuments(space, fitting);
    const answer = best.flatMap(({ pageId, score, page: { url, title } }) => {
      const [bytes, document] = [sizes.get(pageId), documents?.get(pageId)];
      // It was deleted between the statements.
      if (bytes === undefined || (!document && fitting.includes(pageId))) return [];
      return [{ id: pageId, url, title, score, bytes, document }];
    });
    return { answer, byVectors };
  });
}
