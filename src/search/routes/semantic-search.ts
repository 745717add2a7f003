import type { RequestLimits } from '../../platform/settings/config.js';
import { type Operation, limitSchema } from '../../http/operation.js';
import type { InputOf, Route } from '../../http/route.js';
import { inputSchema, optionsSchema, searchRoute, SUGGESTIONS_ANSWER, type SearchRouteDeps } from './search-route.js';
import { createInputReader, readQueryString } from '../../http/read-body.js';
import type { Request } from 'express';
import { compileBody } from '../../base/validate.js';

export const semanticSearchOperation = (limits: RequestLimits) =>
  ({
    method: 'POST',
    path: '/v1/semantic-search',
    scope: 'read',
    id: 'semanticSearch',
    summary: 'Answers a question with pages.',
    body: {
      type: 'object',
      required: ['query'],
      properties: {
        query: inputSchema(limits.queryCharacters, 'A question or some words, taken as they are.'),
        limit: limitSchema(limits),
        options: optionsSchema(limits),
      },
    },
    examples: {
      question: { summary: 'A question', value: { query: 'How long do I have to send something back?' } },
      options: {
        summary: 'In English alone, one answer',
        value: { query: 'refund', limit: 1, options: { filters: { language: 'en' } } },
      },
    },
    answers: { 200: SUGGESTIONS_ANSWER },
  }) as const satisfies Operation;

export function semanticSearchRoute(
  deps: SearchRouteDeps,
  limits: RequestLimits,
): Route<InputOf<typeof semanticSearchOperation>> {
  const operation = semanticSearchOperation(limits);
  const read = createInputReader(compileBody(operation.body), deps, limits);
  return searchRoute(deps, { kind: 'semantic-search', operation, read, textOf: ({ query }) => query });
}

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
