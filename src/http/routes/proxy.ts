import type { RequestLimits } from '../../settings/config.js';
import { findMissingPages, findIndexedPagesByKey, recordRequested } from '../../database/queries/missing-pages.js';
import { ApiError, invalid } from '../../errors.js';
import { pathKey } from '../../text/paths/plain-path.js';
import { isSamePage, dropTracking } from '../../text/same-url.js';
import { parseUrl } from '../../text/parse-url.js';
import type { FoundSuggestion } from '../../search/answer.js';
import type { Caller } from '../../keys/caller.js';
import { search, type SearchDeps } from '../../search/search.js';
import { ERROR } from '../error-schema.js';
import type { Operation } from '../operation.js';
import type { Route } from '../route.js';
import { compileBody } from '../../validate.js';
import { renderSuggestion } from './search-body.js';
import { searchRequest } from './search-route.js';

interface ProxyQuery {
  url: string;
}

/** Only higher scores redirect the visitor (specification, 4.7). */
const REDIRECT_ABOVE = 0.9;

export const proxyOperation = (limits: RequestLimits) =>
  ({
    method: 'GET',
    path: '/v1/proxy',
    scope: 'read',
    id: 'proxy',
    summary: 'Redirects to the page that a dead url meant, when that is nearly certain.',
    query: {
      type: 'object',
      required: ['url'],
      properties: {
        url: {
          type: 'string',
          trimmedLength: [1, limits.pathCharacters],
          label: `one url or path of 1 to ${limits.pathCharacters} characters`,
          description: 'The url or path that was not found.',
          examples: ['/support/return-a-parcel'],
        },
      },
    },
    answers: {
      302: {
        description: 'To an indexed page of the project, whose score is over 0.9.',
        headers: { Location: 'The full url of the page.' },
      },
      404: {
        description:
          '`not_found`: no page is near enough. `error.details` holds `suggestions` and `search_id`, as suggest answers them.',
        schema: ERROR,
        example: {
          error: {
            code: 'not_found',
            message: 'No page is near enough to this url to redirect to it.',
            details: { suggestions: [], search_id: '507d2d7f-b6f1-4881-9f89-e3f184df2bc0' },
          },
        },
      },
    },
  }) satisfies Operation;

/**
 * Redirects from a dead url to the page that it meant. The target is always the url of an indexed page of the project,
 * as the customer pushed it, so this is no open redirect. It is never the requested page, which is dead though it is
 * indexed, nor a page that is reported missing.
 */
export function proxyRoute(deps: SearchDeps, limits: RequestLimits): Route<ProxyQuery> {
  const operation = proxyOperation(limits);
  const check = compileBody<ProxyQuery>(operation.query);
  return {
    ...operation,
    read: (request) => check(request.query['url'] === undefined ? {} : { url: request.query['url'] }),
    handle: async ({ caller, input, response, gone }) => {
      const asked = input.url.trim();
      const path = pathOf(asked);
      const own = await recordOwnPages(deps, caller, asked, path, gone);
      const request = searchRequest('proxy', path, { options: { excludeUrls: own } });
      const { searchId, answer } = await search(deps, caller, request, gone);
      const best = await findFirstAlive(
        caller,
        answer.suggestions.filter(({ score }) => score > REDIRECT_ABOVE),
        own.length > 0,
      );
      if (best) {
        // Express's redirect encodes the url again: `/100%` became `/100%25`.
        response.status(302).set('Cache-Control', 'no-store').set('Location', best.href).end();
        return;
      }
      throw new ApiError('not_found', {
        message: 'No page is near enough to this url to redirect to it.',
        details: { suggestions: answer.suggestions.map(renderSuggestion), search_id: searchId },
      });
    },
  };
}

/** Finds the urls of indexed pages that are requested themselves, and stores that they were: {@link findFirstAlive}. */
async function recordOwnPages(
  deps: SearchDeps,
  caller: Caller,
  asked: string,
  path: string,
  gone?: () => AbortSignal,
): Promise<string[]> {
  return deps.bulkheads.searches.run(
    caller.projectId,
    async () => {
      const own = (await findIndexedPagesByKey(caller, pathKey(dropTracking(path)))).filter(({ url }) =>
        isSamePage(asked, url),
      );
      if (own.length > 0)
        await recordRequested(
          caller,
          own.map((page) => page.page_id),
          caller.isTest,
        );
      return own.map(({ url }) => url);
    },
    gone?.(),
  );
}

/**
 * Finds the best page that is not known to be dead. If the request is for an indexed page, pages that were requested
 * lately count as dead, too: otherwise two similar dead pages would redirect to each other in a loop.
 */
async function findFirstAlive(
  caller: Caller,
  good: readonly FoundSuggestion[],
  fromPage: boolean,
): Promise<FoundSuggestion | undefined> {
  if (good.length === 0) return undefined;
  const dead = await findMissingPages(
    caller,
    good.map(({ pageId }) => pageId),
    !fromPage ? undefined : caller.isTest ? 'test' : 'live',
  );
  return good.find(({ pageId }) => !dead.has(pageId));
}

/** The path and query of a url; a path is unchanged. */
function pathOf(url: string): string {
  if (!/^[a-z][a-z0-9+.-]*:/i.test(url)) return url;
  const parsed = parseUrl(url);
  if (!parsed) throw invalid('url', 'url must be an absolute http(s) url or a path.');
  return parsed.pathname + parsed.search;
}
