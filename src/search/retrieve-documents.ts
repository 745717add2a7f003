import { setTimeout } from 'node:timers/promises';
import { loadDocuments, readDocumentBytes } from '../pages/store/page-listing.js';
import type { RetrievedFields } from '../pages/page-fields.js';
import type { Filters } from '../base/glossary.js';
import type { Caller } from '../projects/caller.js';
import { rankForQuery } from './candidates/rank-for-query.js';
import { searchIndex, type IndexDeps } from './search-index.js';

/** A page that was found, and is not read when it would make the answer too large. */
export interface FoundDocument {
  id: string;
  url: string;
  title: string | null;
  score: number;
  /** Stored bytes of its content and fields. */
  bytes: number;
  /** The document as JSON. Absent if it is left out for its size. */
  json?: Buffer | undefined;
}

/** A page that is read whole. */
export type Document = Omit<FoundDocument, 'json'> & RetrievedFields & { content: string };

interface RetrieveRequest {
  query: string;
  topK: number;
  filters: Filters;
  /** Documents are read, best first, while their bytes have room. */
  maxBytes: number;
  /** A function that gets the number of bytes before they are read; it may throw to refuse them. */
  hold: (bytes: number) => void;
  toJson: (document: Document) => Buffer;
}

/** Documents of so many bytes are read together. */
const GROUP_BYTES = 1_000_000;
/** After each group, other requests have the thread for so many times as long as its documents took. */
const PAUSE = 2;

/** Finds whole documents for a query, best first, without a threshold. The search is neither cached nor logged. */
export function retrieve(
  deps: IndexDeps,
  caller: Caller,
  { query, topK, filters, maxBytes, hold, toJson }: RetrieveRequest,
  signal?: AbortSignal,
): Promise<FoundDocument[]> {
  return searchIndex(deps, caller, { filters, excludeUrls: [] }, signal, async (space, calibration) => {
    const { ranked, byVectors } = await rankForQuery(deps, calibration.query, space, query, topK, signal);
    const best = ranked.slice(0, topK);
    if (best.length === 0) return { answer: [], byVectors };
    const ids = best.map(({ pageId }) => pageId);
    const sizes = await readDocumentBytes(space, ids);
    const listed = best.flatMap(({ pageId, score, page: { url, title } }): FoundDocument[] => {
      const bytes = sizes.get(pageId);
      // The page was deleted between the statements, as may happen below.
      return bytes === undefined ? [] : [{ id: pageId, url, title, score, bytes }];
    });
    const groups = groupFitting(listed, maxBytes);
    hold(groups.flat().reduce((sum, { bytes }) => sum + bytes, 0));
    let room = maxBytes;
    for (const group of groups) {
      const groupIds = group.map(({ id }) => id);
      const documents = await loadDocuments(space, groupIds);
      const from = performance.now();
      for (const page of group) {
        const document = documents.get(page.id);
        if (!document) {
          listed.splice(listed.indexOf(page), 1);
          continue;
        }
        const json = toJson({ ...page, ...document });
        // A document with escapes is longer in JSON than it is stored.
        if (json.length > room) continue;
        room -= json.length + 1;
        page.json = json;
      }
      // Large documents take turns with other requests.
      if (groups.length > 1) await setTimeout(PAUSE * (performance.now() - from));
    }
    return { answer: listed, byVectors };
  });
}

/** Takes the documents that have room, best first, in groups that are read together. */
function groupFitting(listed: readonly FoundDocument[], maxBytes: number): FoundDocument[][] {
  const groups: FoundDocument[][] = [];
  let [read, inGroup] = [0, Infinity];
  for (const page of listed) {
    if (read + page.bytes > maxBytes) continue;
    read += page.bytes;
    inGroup += page.bytes;
    if (inGroup <= GROUP_BYTES) groups.at(-1)?.push(page);
    else {
      groups.push([page]);
      inGroup = page.bytes;
    }
  }
  return groups;
}
