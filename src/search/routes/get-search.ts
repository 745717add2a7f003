import type { Request } from 'express';
import type { RequestLimits } from '../../platform/settings/config.js';
import { type Operation, limitSchema } from '../../http/operation.js';
import { readQueryString } from '../../http/query-string.js';
import type { InputOf, Route } from '../../http/route.js';
import { compileBody } from '../../base/validate.js';
import { SUGGESTIONS_ANSWER } from './search-body.js';
import { searchRoute, type SearchRouteDeps } from './search-route.js';

export const getSearchOperation = (limits: RequestLimits) =>
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
  }) as const satisfies Operation;

export function getSearchRoute(
  deps: SearchRouteDeps,
  limits: RequestLimits,
): Route<InputOf<typeof getSearchOperation>> {
  const operation = getSearchOperation(limits);
  const check = compileBody(operation.query);
  const read = (request: Request) => check(readQueryString(request, operation.query));
  return searchRoute(deps, { kind: 'search', operation, read, textOf: ({ query }) => query });
}
