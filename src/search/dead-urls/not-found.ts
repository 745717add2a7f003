import type { Response } from 'express';
import type { Caller } from '../../projects/caller.js';
import type { SearchDeps } from '../search.js';
import { compileBody } from '../../base/validate.js';
import { ERROR, type Operation } from '../../http/operation.js';
import { readQueryString } from '../../http/read-body.js';
import type { InputOf, Route } from '../../http/route.js';
import type { TemplateOf } from './template-folder.js';
import {
  answerDeadUrl,
  describeMissing,
  type DeadUrlAnswer,
  type DeadUrlOptions,
  REDIRECTED,
  URL_SCHEMA,
} from './dead-url.js';
import type { EventDeps } from '../../events/routes.js';
import { HEADINGS, pagePolicy, renderHtml, renderMarkdown } from './not-found-page.js';
import { linkToClicks } from './click.js';
import { findOwnSearch, SITE_PATHS } from './site-search.js';
import { ORIGINAL_HOST } from '../routes/rule-headers.js';
import { visitorOf } from '../../text/visitor.js';

/** A page that may help is shown; only a nearly certain one redirects. */
const SHOWN: DeadUrlOptions = { kind: 'not-found', limit: 3, shownFrom: ({ shownFrom }) => shownFrom };

export interface NotFoundDeps extends SearchDeps, EventDeps {
  notFoundTemplate: TemplateOf;
  /** Seconds that caches may keep an answer; 0: none may. */
  notFoundMaxAge: number;
}

const TEXTS = ['text/html', 'text/markdown'];

export const notFoundOperation = {
  method: 'GET',
  path: '/v1/not-found',
  scope: 'read',
  queuesJobs: true,
  id: 'notFound',
  summary: 'What a reverse proxy shows for a 404: a redirect, or a page with suggestions.',
  description:
    'For servers that cannot run code. The answer is HTML, JSON or Markdown, by `Accept`; assistants by their user agent get Markdown in place of HTML. Errors are JSON. The 404 is ' +
    "recorded with its outcome, with the request's `User-Agent`, and with the visitor's address where " +
    '`TRUSTED_PROXIES` names the proxy. A server that cannot encode a query string sends the path as the header ' +
    '`X-Original-URI` instead of `url`, and the host, which rules for a host need, as `X-Original-Host`. A server that ' +
    'sends a path of its own to `GET /v1/click` names it in `X-Pathmend-Click`: the links of the HTML page go there. ' +
    'A server that sends a path to `GET /v1/search` names it in `X-Pathmend-Search`: the HTML page has a search field for it, if the project names no search of the site.',
  query: {
    type: 'object',
    required: ['url'],
    properties: {
      url: URL_SCHEMA,
      referrer: { type: 'string', description: 'The url of the page that led there.' },
    },
  },
  answers: {
    302: { ...REDIRECTED, texts: ['text/html'] },
    404: {
      description: 'The page to show. As JSON `not_found`, with `suggestions` and `search_id` in `error.details`.',
      schema: ERROR,
      texts: TEXTS,
    },
    410: {
      description: 'The same for a path that is gone for good: 410, or 451 by its rule.',
      schema: ERROR,
      texts: TEXTS,
    },
  },
} as const satisfies Operation;

export function notFoundRoute(deps: NotFoundDeps): Route<InputOf<typeof notFoundOperation>> {
  const check = compileBody(notFoundOperation.query);
  return {
    ...notFoundOperation,
    read: (request) => {
      const query = readQueryString(request, notFoundOperation.query);
      const header = request.get('x-original-uri');
      return check(query['url'] === undefined && header !== undefined ? { ...query, url: header } : query);
    },
    handle: async ({ caller, input, request, response, gone }) => {
      const { referrer = request.get('referer') ?? null, url } = input;
      const visit = { url, referrer, userAgent: request.get('user-agent') ?? null, request };
      const answered = await answerDeadUrl(deps, caller, visit, SHOWN, gone);
      const { isGone = false, suggestions } = answered.answer;
      const accepted = request.accepts(['text/html', 'application/json', 'text/markdown']);
      const isAssistant = visitorOf(visit.userAgent, '') === 'assistant';
      // Assistants take Markdown, and ask for HTML as browsers do.
      const format = accepted === 'text/html' && isAssistant ? 'text/markdown' : accepted;
      // By `Authorization`, which names the project, a cache before several projects keeps their answers apart.
      const byUri = request.query['url'] === undefined ? ['X-Original-URI'] : [];
      // No cache keeps answers for assistants, with their many user agents, or that change with a rule's date.
      const mayCache = deps.notFoundMaxAge > 0 && format === accepted && answered.answer.isDated !== true;
      const byAgent = mayCache && accepted === 'text/html' ? ['User-Agent'] : [];
      // A header that is missing is named, too, since its absence has decided.
      const vary = ['Accept', 'Authorization', ...byUri, ORIGINAL_HOST, ...SITE_PATHS, ...byAgent];
      const cached = mayCache ? `public, max-age=${deps.notFoundMaxAge}` : 'no-store';
      response.set('Vary', vary.join(', ')).set('Cache-Control', cached);
      if (answered.best) {
        response.status(answered.best.code).set('Location', answered.best.href);
        // Traefik shows the body of any answer, with the status 404.
        if (format !== 'text/html') {
          response.end();
          return;
        }
      } else response.status(isGone ? (answered.answer.terms?.code ?? 410) : 404);
      if (format === 'text/html') response.type('html').send(renderPage(deps, caller, response, answered));
      else if (format === 'text/markdown')
        response.type('text/markdown; charset=utf-8').send(renderMarkdown({ isGone, suggestions }));
      else response.json({ error: describeMissing(answered) });
    },
  };
}

/** Renders the page in the project's template, with the policy that belongs to it; else the plain page. */
function renderPage(
  deps: NotFoundDeps,
  { projectId }: Caller,
  response: Response,
  { path, answer, siteSearch = findOwnSearch(response.req), searchId }: DeadUrlAnswer,
): string {
  const { isGone = false } = answer;
  const suggestions = linkToClicks(deps, projectId, response.req, { searchId, suggestions: answer.suggestions });
  const template = deps.notFoundTemplate(projectId);
  response.set('Content-Security-Policy', template?.contentSecurityPolicy ?? pagePolicy(siteSearch));
  if (!template) return renderHtml({ isGone, suggestions, siteSearch });
  return template.render({ heading: isGone ? HEADINGS.gone : HEADINGS.missing, path, isGone, suggestions });
}
