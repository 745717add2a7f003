import { browserAgent } from '../../text/visitor.js';
import type { SearchKind } from '../../base/glossary.js';
import type { InFlightBytes } from '../../platform/limits/in-flight-bytes.js';
import { search, type SearchDeps } from '../search.js';
import type { SearchRequest } from '../answer.js';
import { type Operation, DEFAULT_LIMIT } from '../../http/operation.js';
import type { Route } from '../../http/route.js';
import { holdUntilSent, sendJson } from '../../http/send-json.js';
import { DEFAULT_THRESHOLD, renderSuggestion, type SearchOptions } from './search-body.js';

interface SearchInput {
  limit?: number;
  options?: SearchOptions;
}

export type SearchRouteDeps = SearchDeps & { bytes: InFlightBytes };

/** Makes a search request, with defaults for what the caller left out. `input`: a path or a query. */
export function searchRequest(
  kind: SearchKind,
  input: string,
  { limit = DEFAULT_LIMIT, options = {} }: SearchInput = {},
): SearchRequest {
  const { searchThreshold = DEFAULT_THRESHOLD, filters = {}, excludeUrls = [], explain = false } = options;
  return { kind, input, limit, threshold: searchThreshold, filters, excludeUrls, explain };
}

/** Only answers with large metadata are longer, up to 64 KiB for each suggestion. */
const LARGE = 100_000;

/** A route that searches and answers with suggestions. `textOf`: the path or query of a request. */
export function searchRoute<Input extends SearchInput>(
  deps: SearchRouteDeps,
  route: Pick<Route<Input>, 'read'> & { kind: SearchKind; operation: Operation; textOf: (input: Input) => string },
): Route<Input> {
  const { kind, operation, read, textOf } = route;
  return {
    ...operation,
    read,
    handle: async ({ caller, input, request, response, gone }) => {
      const userAgent = browserAgent(request.get('user-agent'));
      const { answer, log } = await search(deps, caller, searchRequest(kind, textOf(input), input), userAgent, gone);
      const suggestions = answer.suggestions.map(renderSuggestion);
      const text = JSON.stringify({ suggestions, search_id: log(false) });
      if (text.length > LARGE) holdUntilSent(response, deps.bytes, text.length);
      sendJson(response, text);
    },
  };
}
