import { LIMITS } from '../../base/request-limits.js';
import { type Operation, LIMIT_SCHEMA } from '../../http/operation.js';
import type { InputOf, Route } from '../../http/route.js';
import { inputSchema, OPTIONS_SCHEMA, searchRoute, SUGGESTIONS_ANSWER, type SearchRouteDeps } from './search-route.js';
import { createInputReader } from '../../http/read-body.js';
import { compileBody } from '../../base/validate.js';

export const semanticSearchOperation = {
  method: 'POST',
  path: '/v1/semantic-search',
  scope: 'read',
  id: 'semanticSearch',
  summary: 'Answers a question with pages.',
  body: {
    type: 'object',
    required: ['query'],
    properties: {
      query: inputSchema(LIMITS.queryCharacters, 'A question or some words, taken as they are.'),
      limit: LIMIT_SCHEMA,
      options: OPTIONS_SCHEMA,
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
} as const satisfies Operation;

export function semanticSearchRoute(deps: SearchRouteDeps): Route<InputOf<typeof semanticSearchOperation>> {
  const read = createInputReader(compileBody(semanticSearchOperation.body), deps);
  return searchRoute(deps, {
    kind: 'semantic-search',
    operation: semanticSearchOperation,
    read,
    textOf: ({ query }) => query,
  });
}
