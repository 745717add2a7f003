import { ApiError } from '../../base/errors.js';
import { namesVisitor } from '../../text/visitor.js';
import type { SearchDeps } from '../search.js';
import { ERROR, type Operation } from '../../http/operation.js';
import type { InputOf, Route } from '../../http/route.js';
import { compileBody } from '../../base/validate.js';
import { answerDeadUrl, describeMissing, redirectTo, REDIRECTED, type DeadUrlOptions, URL_SCHEMA } from './dead-url.js';
import type { EventDeps } from '../../events/routes.js';
import { DEFAULT_THRESHOLD } from '../routes/search-route.js';

const SURE: DeadUrlOptions = { kind: 'proxy', shownFrom: () => DEFAULT_THRESHOLD };

export const proxyOperation = {
  method: 'GET',
  path: '/v1/proxy',
  scope: 'read',
  queuesJobs: true,
  id: 'proxy',
  summary: 'Redirects to the page that a dead url meant, when that is nearly certain.',
  description: 'The 404 is recorded with its outcome, as by `GET /v1/not-found`.',
  query: {
    type: 'object',
    required: ['url'],
    properties: { url: URL_SCHEMA },
  },
  answers: {
    302: REDIRECTED,
    410: { description: 'The same where a rule says that the path is gone: 410, or 451 by its code.', schema: ERROR },
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
} as const satisfies Operation;

/** Redirects from a dead url to the page that it meant: {@link answerDeadUrl}. */
export function proxyRoute(deps: SearchDeps & EventDeps): Route<InputOf<typeof proxyOperation>> {
  const check = compileBody(proxyOperation.query);
  return {
    ...proxyOperation,
    read: (request) => check(request.query['url'] === undefined ? {} : { url: request.query['url'] }),
    handle: async ({ caller, input, request, response, gone }) => {
      const named = request.get('user-agent') ?? null;
      // A program that asks in its own name says nothing about the visitor.
      const userAgent = named !== null && namesVisitor(named) ? named : null;
      const visit = { url: input.url, referrer: request.get('referer') ?? null, userAgent, request };
      const answered = await answerDeadUrl(deps, caller, visit, SURE, gone);
      const { best, answer } = answered;
      if (best) {
        redirectTo(response, best);
        return;
      }
      response.set('Cache-Control', 'no-store');
      const error = describeMissing(answered);
      if (answer.isGone !== true) throw new ApiError(error.code, error);
      response.status(answer.terms?.code ?? 410).json({ error });
    },
  };
}
