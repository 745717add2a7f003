import { ApiError } from '../../base/errors.js';
import { compileBody } from '../../base/validate.js';
import { CLICKED_RANK, SEARCH_ID } from '../../events/event-schema.js';
import { queueEvent, type EventDeps } from '../../events/routes.js';
import { ERROR, type Operation } from '../../http/operation.js';
import { readQueryString } from '../../http/read-body.js';
import type { InputOf, Route } from '../../http/route.js';
import { isHuman, visitorOf } from '../../text/visitor.js';
import type { Request } from 'express';
import type { FoundSuggestion } from '../answer.js';
import type { SearchDeps } from '../search.js';
import { redirectTo } from './dead-url.js';
import { sitePath } from './site-search.js';

export const clickOperation = {
  method: 'GET',
  path: '/v1/click',
  scope: 'read',
  queuesJobs: true,
  id: 'click',
  summary: 'Follows a link of the 404 page, and counts the click.',
  description:
    "Your site's server sends here, with the visitor's `User-Agent`, what is asked of the path that it names to `GET /v1/not-found` in `X-Pathmend-Click`. " +
    'A click counts once for a search and rank, and neither for robots nor where a browser fetches ahead (`Sec-Purpose`, `Purpose`).',
  query: {
    type: 'object',
    required: ['search_id', 'rank'],
    properties: { search_id: { type: 'string', ...SEARCH_ID }, rank: CLICKED_RANK },
  },
  answers: {
    302: {
      description: 'To the page that the search showed there.',
      headers: { Location: 'Its url; its path if it was deleted.' },
    },
    404: { description: '`not_found`: the project has no such search, or it showed fewer pages.', schema: ERROR },
  },
} as const satisfies Operation;

export function clickRoute(deps: SearchDeps & EventDeps): Route<InputOf<typeof clickOperation>> {
  const check = compileBody(clickOperation.query);
  return {
    ...clickOperation,
    read: (request) => check(readQueryString(request, clickOperation.query)),
    handle: async ({ caller, input: { search_id, rank }, request, response, gone }) => {
      const searchId = search_id.toLowerCase();
      // The id is the same for every click on this link, and has 62 random bits.
      const eventId = searchId.slice(0, 24) + rank.toString(16).padStart(12, '0');
      const find = () => deps.log.find(caller.projectId, searchId, rank, eventId);
      const shown = await deps.bulkheads.searches.run(caller.projectId, find, gone());
      if (!shown) throw new ApiError('not_found', { message: 'There is no such search, or no such link of it.' });
      const { input: rawPath, url, pageUrl, isCounted } = shown;
      const purpose = request.get('sec-purpose') ?? request.get('purpose') ?? '';
      const isFollowed = request.method === 'GET' && !/prefetch|prerender|preview/i.test(purpose);
      if (isFollowed && !isCounted && isHuman(visitorOf(request.get('user-agent') ?? null, ''))) {
        const of = { rawPath, searchId, origin: null, occurredAt: new Date(deps.clock.now()).toISOString() };
        await queueEvent(deps, caller, { type: 'click', clickedUrl: url, clickedRank: rank, ...of }, gone, eventId);
      }
      redirectTo(response, { href: pageUrl === null ? url : new URL(url, pageUrl).href, code: 302 });
    },
  };
}

/** Makes the links of suggestions count clicks, if the site's server has a path for that. */
export function linkToClicks(
  { log, clock }: Pick<SearchDeps, 'log' | 'clock'>,
  projectId: string,
  request: Request,
  { searchId, suggestions }: { searchId: string; suggestions: readonly FoundSuggestion[] },
): readonly FoundSuggestion[] {
  const path = log.keeps(projectId, clock.now()) ? sitePath(request, 'X-Pathmend-Click') : undefined;
  if (path === undefined) return suggestions;
  return suggestions.map((page, i) => ({ ...page, href: `${path}?search_id=${searchId}&rank=${i + 1}` }));
}
