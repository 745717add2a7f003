import type { RequestLimits } from '../../platform/settings/config.js';
import { type Operation, limitSchema } from '../../http/operation.js';
import type { InputOf, Route } from '../../http/route.js';
import { optionsSchema, SUGGESTIONS_ANSWER, inputSchema } from './search-body.js';
import { searchRoute, type SearchRouteDeps } from './search-route.js';
import { createInputReader } from '../../http/read-body.js';

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
  const read = createInputReader(operation, deps, limits);
  return searchRoute(deps, { kind: 'semantic-search', operation, read, textOf: ({ query }) => query });
}
