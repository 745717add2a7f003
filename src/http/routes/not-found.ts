import { randomUUID } from 'node:crypto';
import type { Request } from 'express';
import { makeNotFound, type NotFoundOutcome, type VisitorEvent } from '../../events/read-event.js';
import { recordEvent } from '../../events/record-event.js';
import type { Caller } from '../../keys/caller.js';
import type { SearchDeps } from '../../search/search.js';
import type { RequestLimits } from '../../settings/config.js';
import { parseUrl } from '../../text/parse-url.js';
import { compileBody } from '../../validate.js';
import { ERROR } from '../error-schema.js';
import type { Operation } from '../operation.js';
import { readQueryString } from '../query-string.js';
import type { Route } from '../route.js';
import { answerDeadUrl, redirectTo, type DeadUrlAnswer } from './dead-url.js';
import type { EventDeps } from './events.js';
import { renderHtml, renderMarkdown } from './not-found-page.js';
import { renderSuggestion } from './search-body.js';

interface NotFoundQuery {
  url: string;
  referrer?: string;
}

/** A page that may help is shown; only a nearly certain one redirects. */
const SHOWN = { limit: 3, threshold: 0.1 };

const TEXTS = ['text/html', 'text/markdown'];

export const notFoundOperation = (limits: RequestLimits) =>
  ({
    method: 'GET',
    path: '/v1/not-found',
    scope: 'read',
    id: 'notFound',
    summary: 'What a reverse proxy shows for a 404: a redirect, or a page with suggestions.',
    description:
      'For servers that cannot run code. The answer is HTML, JSON or Markdown, by `Accept`; errors are JSON. The 404 is ' +
      "recorded with what became of it, with the request's `User-Agent`, and with the visitor's address where " +
      '`TRUSTED_PROXIES` names the proxy.',
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
        referrer: { type: 'string', description: 'The url of the page that led there.' },
      },
    },
    answers: {
      302: {
        description: 'To an indexed page of the project, whose score is over 0.9.',
        headers: { Location: 'The full url of the page.' },
      },
      404: {
        description: 'The page to show. As JSON `not_found`, with `suggestions` and `search_id` in `error.details`.',
        schema: ERROR,
        texts: TEXTS,
      },
      410: { description: 'The same for a path that is gone for good.', schema: ERROR, texts: TEXTS },
    },
  }) satisfies Operation;

export function notFoundRoute(deps: SearchDeps & EventDeps, limits: RequestLimits): Route<NotFoundQuery> {
  const operation = notFoundOperation(limits);
  const check = compileBody<NotFoundQuery>(operation.query);
  return {
    ...operation,
    read: (request) => check(readQueryString(request, operation.query)),
    handle: async ({ caller, input, request, response, gone }) => {
      const found = await answerDeadUrl(deps, caller, input.url, SHOWN, gone);
      const { isGone = false, suggestions } = found.answer;
      await record(deps, caller, { request, input, found, outcome: outcomeOf(found) }, gone());
      response.set('Vary', 'Accept').set('Cache-Control', 'no-store');
      if (found.best) {
        redirectTo(response, found.best.href);
        return;
      }
      response.status(isGone ? 410 : 404).set('Content-Security-Policy', "default-src 'none'");
      const format = request.accepts(['text/html', 'application/json', 'text/markdown']);
      if (format === 'text/html') response.type('html').send(renderHtml({ isGone, suggestions }));
      else if (format === 'text/markdown')
        response.type('text/markdown; charset=utf-8').send(renderMarkdown({ isGone, suggestions }));
      else
        response.json({
          error: {
            code: 'not_found',
            message: isGone ? 'This url is gone for good.' : 'No page is near enough to this url to redirect to it.',
            details: { suggestions: suggestions.map(renderSuggestion), search_id: found.searchId },
          },
        });
    },
  };
}

function outcomeOf({ best, answer }: DeadUrlAnswer): NotFoundOutcome {
  if (best) return 'redirected';
  if (answer.isGone) return 'gone';
  return answer.suggestions.length > 0 ? 'suggested' : 'nothing';
}

async function record(
  deps: EventDeps,
  caller: Caller,
  one: { request: Request; input: NotFoundQuery; found: DeadUrlAnswer; outcome: NotFoundOutcome },
  signal: AbortSignal,
): Promise<void> {
  const { request, input, found, outcome } = one;
  const body = {
    raw_path: found.path,
    origin: parseUrl(input.url.trim())?.origin ?? null,
    referrer: input.referrer ?? request.get('referer') ?? null,
    user_agent: request.get('user-agent') ?? null,
    // Without a trusted proxy, the address is that of the server which asks.
    user_ip: request.ips.length > 0 ? request.ip : null,
  };
  const event: VisitorEvent = {
    ...makeNotFound(body, deps.eventIpMode),
    answered: { outcome, searchId: found.searchId },
  };
  const job = {
    eventId: randomUUID(),
    projectId: caller.projectId,
    isTest: caller.isTest,
    receivedAt: new Date(deps.clock.now()).toISOString(),
    event,
  };
  await deps.bulkheads.writes.run(caller.projectId, () => deps.queue.enqueueNow(recordEvent, [job]), signal);
  deps.queue.wake(recordEvent);
}
