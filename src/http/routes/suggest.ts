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

interface SuggestBody {
  path: string;
  limit?: number;
  options?: SearchOptions;
}

export const suggestOperation = (limits: RequestLimits) =>
  ({
    method: 'POST',
    path: '/v1/suggest',
    scope: 'read',
    id: 'suggest',
    summary: 'Names the live pages that the visitor of a dead path wanted.',
    description:
      'The path is freed of noise and spell-corrected, then compared with the contents and paths of your pages and with known moves. ' +
      'Without filters the answer may come from a cache, never from before a change of the index.',
    body: {
      type: 'object',
      required: ['path'],
      properties: {
        path: {
          type: 'string',
          trimmedLength: [1, limits.pathCharacters],
          description: 'The path that was not found, as the browser sent it; a full url will do.',
        },
        limit: limitSchema(limits),
        options: optionsSchema(limits),
      },
    },
    examples: {
      path: { summary: 'A dead path', value: { path: '/support/return-a-parcel' } },
      options: {
        summary: 'Help pages alone, and why',
        value: {
          path: '/support/return-a-parcel',
          limit: 5,
          options: { searchThreshold: 0.8, filters: { section: 'help' }, excludeUrls: ['/help'], explain: true },
        },
      },
    },
    answers: { 200: SUGGESTIONS_ANSWER },
  }) satisfies Operation;

/** POST /v1/suggest: a dead path, answered with the live pages that the visitor wanted. */
export function suggestRoute(deps: SearchDeps & { bytes: ByteBudget }, limits: RequestLimits): Route<SuggestBody> {
  const readBody = createBodyReader(limits.bodyBytes, deps.bytes);
  const operation = suggestOperation(limits);
  const check = compileBody<SuggestBody>(operation.body);
  return {
    ...operation,
    read: async (request, response) => check(await readBody(request, response)),
    handle: async ({ caller, input, response, gone }) => {
      const { searchId, answer } = await search(
        deps,
        caller,
        {
          kind: 'suggest',
          input: input.path.trim(),
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
