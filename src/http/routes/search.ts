import type { Request } from 'express';
import type { RequestLimits } from '../../settings/config.js';
import { invalid } from '../../errors.js';
import { search, type SearchDeps } from '../../search/search.js';
import type { Operation } from '../operation.js';
import type { Route } from '../route.js';
import { sendAnswer } from '../send-json.js';
import { compileBody } from '../../validate.js';
import { DEFAULT_LIMIT, DEFAULT_THRESHOLD, limitSchema, SUGGESTIONS_ANSWER } from './search-body.js';

interface SearchQuery {
  query: string;
  limit?: number;
}

export const searchOperation = (limits: RequestLimits) =>
  ({
    method: 'GET',
    path: '/v1/search',
    scope: 'read',
    id: 'search',
    summary: 'Answers as semantic-search, for callers that can only link.',
    query: {
      type: 'object',
      required: ['query'],
      properties: {
        query: {
          type: 'string',
          trimmedLength: [1, limits.queryCharacters],
          label: `one text of 1 to ${limits.queryCharacters} characters`,
          description: 'A question or some words.',
          examples: ['returns and refunds'],
        },
        limit: limitSchema(limits),
      },
    },
    answers: { 200: SUGGESTIONS_ANSWER },
  }) satisfies Operation;

/** GET /v1/search?query=…[&limit=]: semantic-search for callers that can only link. */
export function searchRoute(deps: SearchDeps, limits: RequestLimits): Route<SearchQuery> {
  const operation = searchOperation(limits);
  const check = compileBody<SearchQuery>(operation.query);
  return {
    ...operation,
    read: (request) => check(readQueryString(request)),
    handle: async ({ caller, input, response, gone }) => {
      const { searchId, answer } = await search(
        deps,
        caller,
        {
          kind: 'search',
          input: input.query,
          limit: input.limit ?? DEFAULT_LIMIT,
          threshold: DEFAULT_THRESHOLD,
          filters: {},
          excludeUrls: [],
          explain: false,
        },
        gone,
      );
      sendAnswer(response, answer, searchId);
    },
  };
}

/** The parameters as a body: `limit` becomes a number when it is written as one. */
function readQueryString(request: Request): Record<string, unknown> {
  const { query, limit } = request.query;
  const input: Record<string, unknown> = {};
  if (query !== undefined) input['query'] = query;
  if (limit !== undefined) {
    if (typeof limit !== 'string' || !/^\d{1,9}$/.test(limit))
      throw invalid('limit', 'limit must be one whole number.');
    input['limit'] = Number(limit);
  }
  return input;
}
