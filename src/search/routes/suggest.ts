import { LIMITS } from '../../base/request-limits.js';
import { compileBody } from '../../base/validate.js';
import { type Operation, LIMIT_SCHEMA } from '../../http/operation.js';
import type { InputOf, Route } from '../../http/route.js';
import { inputSchema, OPTIONS_SCHEMA, searchRoute, SUGGESTIONS_ANSWER, type SearchRouteDeps } from './search-route.js';
import { RULE_HEADERS } from './rule-headers.js';
import { createInputReader } from '../../http/read-body.js';

export const suggestOperation = {
  method: 'POST',
  path: '/v1/suggest',
  scope: 'read',
  id: 'suggest',
  summary: 'Names the live pages that the visitor of a dead path wanted.',
  description:
    'The path is freed of noise and spell-corrected, then compared with the contents and paths of your pages and with learned redirects. ' +
    'Without filters the answer may come from a cache, never from before a change of the index. ' +
    'Rules for a host need the host: as part of `path`, or as the header `X-Original-Host`. ' +
    'What a rule asks for beside a page of the project is in the headers `X-Pathmend-Code` and `X-Pathmend-Location`. ' +
    'Of a project in trial the header `X-Pathmend-Trial` is `on`: a client redirects to no page with a score below 1 then.',
  body: {
    type: 'object',
    required: ['path'],
    properties: {
      path: inputSchema(
        LIMITS.pathCharacters,
        'The path that was not found, as the browser sent it; a full url will do.',
      ),
      limit: LIMIT_SCHEMA,
      options: OPTIONS_SCHEMA,
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
  answers: { 200: { ...SUGGESTIONS_ANSWER, headers: RULE_HEADERS } },
} as const satisfies Operation;

export function suggestRoute(deps: SearchRouteDeps): Route<InputOf<typeof suggestOperation>> {
  const read = createInputReader(compileBody(suggestOperation.body), deps);
  return searchRoute(deps, { kind: 'suggest', operation: suggestOperation, read, textOf: ({ path }) => path.trim() });
}
