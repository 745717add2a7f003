import type { RequestLimits } from '../../settings/config.js';
import type { ByteBudget } from '../../load/byte-budget.js';
import { search, type SearchDeps } from '../../search/search.js';
import type { Operation } from '../operation.js';
import { createBodyReader } from '../read-body.js';
import type { Route } from '../route.js';
import { sendAnswer } from '../send-json.js';
import { compileBody } from '../../validate.js';
import {
  DEFAULT_LIMIT,
  DEFAULT_THRESHOLD,
  limitSchema,
  optionsSchema,
  SUGGESTIONS_ANSWER,
  type SearchOptions,
} from './search-body.js';

interface SemanticSearchBody {
  query: string;
  limit?: number;
  options?: SearchOptions;
}

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
        query: {
          type: 'string',
          trimmedLength: [1, limits.queryCharacters],
          description: 'A question or some words, taken as they are.',
        },
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
  }) satisfies Operation;

/** POST /v1/semantic-search: a question, answered with pages. */
export function semanticSearchRoute(
  deps: SearchDeps & { bytes: ByteBudget },
  limits: RequestLimits,
): Route<SemanticSearchBody> {
  const readBody = createBodyReader(limits.bodyBytes, deps.bytes);
  const operation = semanticSearchOperation(limits);
  const check = compileBody<SemanticSearchBody>(operation.body);
  return {
    ...operation,
    read: async (request, response) => check(await readBody(request, response)),
    handle: async ({ caller, input, response, gone }) => {
      const { searchId, answer } = await search(
        deps,
        caller,
        {
          kind: 'semantic-search',
          input: input.query,
          limit: input.limit ?? DEFAULT_LIMIT,
          threshold: input.options?.searchThreshold ?? DEFAULT_THRESHOLD,
          filters: input.options?.filters ?? {},
          excludeUrls: input.options?.excludeUrls ?? [],
          explain: input.options?.explain ?? false,
        },
        gone,
      );
      sendAnswer(response, answer, searchId);
    },
  };
}
