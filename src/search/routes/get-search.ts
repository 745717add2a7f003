import { LIMITS } from '../../base/request-limits.js';
import { compileBody } from '../../base/validate.js';
import { DEFAULT_LIMIT, LIMIT_SCHEMA, type Operation } from '../../http/operation.js';
import { readQueryString } from '../../http/read-body.js';
import type { InputOf, Route } from '../../http/route.js';
import { browserAgent } from '../../text/visitor.js';
import { linkToClicks } from '../dead-urls/click.js';
import { pagePolicy, renderFound } from '../dead-urls/not-found-page.js';
import { findOwnSearch } from '../dead-urls/site-search.js';
import { search } from '../search.js';
import { DEFAULT_THRESHOLD, searchRequest, sendSuggestions, SUGGESTIONS_ANSWER } from './search-route.js';
import type { SearchRouteDeps } from './search-route.js';

export const getSearchOperation = {
  method: 'GET',
  path: '/v1/search',
  scope: 'read',
  id: 'search',
  summary: 'Answers as semantic-search, for callers that can only link.',
  description:
    "Your site's server sends here what is asked of the path that it names in `X-Pathmend-Search`, with the visitor's `User-Agent`: " +
    'who accepts HTML gets a page with a search field and links, ten unless `limit` says otherwise. With `X-Pathmend-Click` its links count clicks.',
  query: {
    type: 'object',
    required: ['query'],
    properties: {
      query: {
        type: 'string',
        trimmedLength: [1, LIMITS.queryCharacters],
        label: `one text of 1 to ${LIMITS.queryCharacters} characters`,
        description: 'A question or some words.',
        examples: ['returns and refunds'],
      },
      by: {
        type: 'string',
        enum: ['meaning', 'words'],
        default: 'meaning',
        label: 'meaning or words',
        description:
          '`words`: for what is still typed. The pages that have these words, the last of which may be unfinished; without the model. Such a search is not stored.',
      },
      limit: LIMIT_SCHEMA,
    },
  },
  answers: { 200: { ...SUGGESTIONS_ANSWER, texts: ['text/html'] } },
} as const satisfies Operation;

/** A visitor chooses from a list of this length, which has the threshold of a list "did you mean" (search-route.ts). */
const PAGE_LIMIT = 10;
const PAGE_THRESHOLD = 0.1;

export function getSearchRoute(deps: SearchRouteDeps): Route<InputOf<typeof getSearchOperation>> {
  const check = compileBody(getSearchOperation.query);
  return {
    ...getSearchOperation,
    read: (request) => check(readQueryString(request, getSearchOperation.query)),
    handle: async ({ caller, input: { query, by, limit }, request, response, gone }) => {
      const form = findOwnSearch(request);
      const isPage = form !== undefined && request.accepts(['application/json', 'text/html']) === 'text/html';
      const isTyped = by === 'words';
      const searched = {
        ...searchRequest('search', query, { limit: limit ?? (isPage ? PAGE_LIMIT : DEFAULT_LIMIT) }),
        // Scores need the evidence of the model.
        threshold: isTyped ? 0 : isPage ? PAGE_THRESHOLD : DEFAULT_THRESHOLD,
        isTyped,
      };
      const named = request.get('user-agent');
      const userAgent = isPage ? (named ?? null) : browserAgent(named);
      const { answer, log } = await search(deps, caller, searched, userAgent, gone);
      const searchId = log();
      if (!isPage) {
        sendSuggestions(deps, response, answer, searchId);
        return;
      }
      const { suggestions } = answer;
      const links = isTyped ? suggestions : linkToClicks(deps, caller.projectId, request, { searchId, suggestions });
      response.set('Cache-Control', 'no-store').set('Content-Security-Policy', pagePolicy(form)).type('html');
      response.send(renderFound(form, query, links, isTyped));
    },
  };
}
