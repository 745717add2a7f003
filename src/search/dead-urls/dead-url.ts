import { LIMITS } from '../../base/request-limits.js';
import type { Request, Response } from 'express';
import { findMissingPages, findIndexedPagesByKey, recordRequested } from '../../pages/store/missing-pages.js';
import { findDeadUrlSettings } from '../../projects/store/projects.js';
import { invalid } from '../../base/errors.js';
import type { Thresholds } from '../../base/glossary.js';
import type { Caller } from '../../projects/caller.js';
import type { AnswerTerms, FoundSuggestion, SearchAnswer } from '../answer.js';
import { search, type SearchDeps } from '../search.js';
import { DEFAULT_THRESHOLDS, isSure } from '../ranking/scores/score.js';
import { makeNotFound } from '../../events/read-event.js';
import type { AnswerOutcome } from '../../events/event-schema.js';
import { queueEvent, type EventDeps } from '../../events/routes.js';
import { parseUrl } from '../../text/page-url.js';
import { pathKey, dropTracking } from '../../text/paths/plain-path.js';
import { looksLikeProbe } from '../../text/paths/dead-path.js';
import { hasNeedlessSlashes, isSamePage, isSameUrl } from '../../text/same-url.js';
import { originalHost } from '../routes/rule-headers.js';
import { renderSuggestion, searchRequest } from '../routes/search-route.js';
import type { SearchRequest } from '../answer.js';
import { locationOf } from '../../rules/follow-rules.js';
import { parseSiteSearch, type SiteSearch } from './site-search.js';

/** The query parameter of the routes that take a dead url. */
export const URL_SCHEMA = {
  type: 'string',
  trimmedLength: [1, LIMITS.pathCharacters],
  label: `one url or path of 1 to ${LIMITS.pathCharacters} characters`,
  description: 'The url or path that was not found.',
  examples: ['/support/return-a-parcel'],
} as const;

/** The answer of these routes that redirects. */
export const REDIRECTED = {
  description:
    "Where a rule of the project leads, on any host, with the rule's own code (301 unless it says 302, 303, 307 or 308); else to an indexed page of the project, whose score is over the project's redirect threshold (0.9 unless set).",
  headers: { Location: 'The full url of the page, or the address in the rule.' },
};

export interface Visit {
  /** The url or path, as the caller had it. */
  url: string;
  referrer: string | null;
  userAgent: string | null;
  request: Request;
}

export interface DeadUrlOptions {
  kind: 'proxy' | 'not-found';
  limit?: number;
  /** The minimum score of the pages that are shown if none is near enough to redirect to. */
  shownFrom: (thresholds: Thresholds) => number;
}

export interface DeadUrlAnswer {
  /** Path and query of the url. */
  path: string;
  searchId: string;
  answer: SearchAnswer;
  /** The address to redirect to, if it is nearly certain. */
  best: Destination | undefined;
  siteSearch: SiteSearch | undefined;
}

/** The address to which a visitor is redirected, and the code: that of the rule, or else 302. */
interface Destination {
  href: string;
  code: number;
}

/**
 * Searches for the page that a dead url meant, and queues the 404 with its outcome. `best` is an indexed page of the
 * project, with the url that the customer pushed, or the address on another host that stands in a rule of the customer:
 * this is not an open redirect. It is never the requested page, which is dead though it is indexed, nor a page that is
 * reported missing. If the requested url is another spelling of a page's url (`/page/`, `/page/index.html`), the page
 * is shown, but only a rule redirects to it: a server that changes one spelling into the other would lead back here. No
 * server adds doubled slashes, so the page without them is redirected to.
 */
export async function answerDeadUrl(
  deps: SearchDeps & EventDeps,
  caller: Caller,
  { url, referrer, userAgent, request: asking }: Visit,
  { kind, limit, shownFrom }: DeadUrlOptions,
  gone: () => AbortSignal,
): Promise<DeadUrlAnswer> {
  const deadUrl = url.trim();
  const path = pathOf(deadUrl);
  const { ownPages, settings } = await deps.bulkheads.searches.run(
    caller.projectId,
    async () => ({
      ownPages: await recordOwnPages(caller, deadUrl, path),
      settings: (await findDeadUrlSettings(caller)) ?? { ...DEFAULT_THRESHOLDS, siteSearch: null, trial: false },
    }),
    gone(),
  );
  const host = parseUrl(deadUrl)?.host ?? originalHost(asking);
  const request: SearchRequest = {
    host,
    ...searchRequest(kind, path, {
      limit,
      options: {
        excludeUrls: ownPages.map(({ href }) => href).filter((href) => isSameUrl(deadUrl, href)),
        // No page helps somebody whose picture or style sheet is missing.
        searchThreshold: looksLikeProbe(path)
          ? settings.redirectAbove
          : Math.min(shownFrom(settings), settings.redirectAbove),
      },
    }),
  };
  const { answer, log } = await search(deps, caller, request, userAgent, gone);
  // In trial a guess redirects nobody. A score of 1 is not a guess.
  const thresholds = settings.trial ? { ...settings, redirectAbove: 1 } : settings;
  const best = await chooseBest(caller, deadUrl, answer, ownPages, thresholds);
  const siteSearch = settings.siteSearch === null ? undefined : parseSiteSearch(settings.siteSearch);
  const answered = { path, searchId: log(best?.href), answer, best, siteSearch };
  const event = {
    raw_path: path,
    origin: parseUrl(deadUrl)?.origin ?? null,
    referrer,
    user_agent: userAgent,
    // Without a trusted proxy, the address is that of the server which asks.
    user_ip: asking.ips.length > 0 ? asking.ip : null,
    search_id: answered.searchId,
    outcome: outcomeOf(answered),
  };
  const named = event.origin === null && host !== undefined ? { host } : {};
  await queueEvent(deps, caller, { ...makeNotFound(event, deps.eventIpMode), ...named }, gone());
  return answered;
}

/** Chooses the address for the visitor of a dead url: by a rule, else the page that is nearly certain. */
async function chooseBest(
  caller: Caller,
  deadUrl: string,
  { leadsTo, rule, terms, suggestions }: SearchAnswer,
  ownPages: readonly CertainTarget[],
  thresholds: Thresholds,
): Promise<Destination | undefined> {
  if (leadsTo !== undefined)
    return isSamePage(deadUrl, leadsTo) && !deadUrl.startsWith('/') ? undefined : byTerms(leadsTo, deadUrl, terms);
  const sure = suggestions.filter((page) => isSure(page, thresholds));
  const isOwn = ({ pageId }: CertainTarget): boolean => ownPages.some((page) => page.pageId === pageId);
  const byRule = rule === undefined ? [] : sure.slice(0, 1).filter(isOwn);
  const bySlashes = ownPages.filter(({ href }) => hasNeedlessSlashes(deadUrl, href));
  const guesses = sure.filter((page) => !isOwn(page));
  const alive =
    (await findFirstAlive(caller, [...byRule, ...bySlashes], false)) ??
    (await findFirstAlive(caller, guesses, ownPages.length > 0));
  if (!alive) return undefined;
  const isByRule = rule !== undefined && alive.pageId === suggestions[0]?.pageId;
  const best = byTerms(alive.href, deadUrl, isByRule ? terms : undefined);
  // A rule may name its own path with a query string.
  return parseUrl(deadUrl, best?.href)?.href === best?.href ? undefined : best;
}

const FOUND = 302;

/** Makes a destination by the terms of a rule; undefined if the address is too long for a header. */
function byTerms(href: string, deadUrl: string, terms: AnswerTerms | undefined): Destination | undefined {
  const location = locationOf(href, deadUrl, terms?.passQuery === true);
  return location === undefined ? undefined : { href: location, code: terms?.code ?? FOUND };
}

/** Express's redirect encodes the url again: `/100%` became `/100%25`. */
export function redirectTo(response: Response, { href, code }: Destination): void {
  response.status(code).set('Cache-Control', 'no-store').set('Location', href).end();
}

/** A page that may be redirected to. */
type CertainTarget = Pick<FoundSuggestion, 'pageId' | 'href'>;

/** Finds the indexed pages that are requested themselves, and stores that they were: {@link findFirstAlive}. */
async function recordOwnPages(caller: Caller, deadUrl: string, path: string): Promise<CertainTarget[]> {
  const pages = await findIndexedPagesByKey(caller, pathKey(dropTracking(path)));
  const ownPages = pages.filter(({ url }) => isSamePage(deadUrl, url));
  const ids = ownPages.filter(({ url }) => !hasNeedlessSlashes(deadUrl, url)).map((page) => page.page_id);
  if (ids.length > 0) await recordRequested(caller, ids, caller.isTest);
  return ownPages.map(({ page_id, url }) => ({ pageId: page_id, href: url }));
}

/**
 * Finds the best page that is not known to be dead. If the request is for an indexed page, pages that were requested
 * lately count as dead, too: otherwise two similar dead pages would redirect to each other in a loop.
 */
async function findFirstAlive(
  caller: Caller,
  targets: readonly CertainTarget[],
  isFromPage: boolean,
): Promise<CertainTarget | undefined> {
  if (targets.length === 0) return undefined;
  const ids = targets.map(({ pageId }) => pageId);
  const dead = await findMissingPages(caller, ids, !isFromPage ? undefined : caller.isTest ? 'test' : 'live');
  return targets.find(({ pageId }) => !dead.has(pageId));
}

/** The error that answers a dead url which redirects nowhere. */
export function describeMissing({ answer, searchId }: DeadUrlAnswer) {
  return {
    code: 'not_found' as const,
    message: answer.isGone ? 'This url is gone for good.' : 'No page is near enough to this url to redirect to it.',
    details: { suggestions: answer.suggestions.map(renderSuggestion), search_id: searchId },
  };
}

/** The path and query of a url; a path is unchanged. */
function pathOf(url: string): string {
  if (!/^[a-z][a-z0-9+.-]*:/i.test(url)) return url;
  const parsed = parseUrl(url);
  if (!parsed) throw invalid('url', 'url must be an absolute http(s) url or a path.');
  return parsed.pathname + parsed.search;
}

function outcomeOf({ best, answer }: DeadUrlAnswer): AnswerOutcome {
  if (best) return 'redirected';
  if (answer.isGone) return 'gone';
  return answer.suggestions.length > 0 ? 'suggested' : 'nothing';
}
