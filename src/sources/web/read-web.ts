import { systemClock, type Clock } from '../../base/clock.js';
import { OperatorError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import { parsePageUrl } from '../../text/page-url.js';
import { LeftOut, type KnownPages, type Source, type SourceItem } from '../source.js';
import { readRestApi } from '../wordpress/read-rest-api.js';
import { createTrapGuard } from './crawl-traps.js';
import { Frontier } from './frontier.js';
import { createHttpClient, guardNamedHosts, type Guard, type Resolve } from './http-client.js';
import type { LinkLog } from './link-log.js';
import { createPoliteFetcher, HostPace } from './polite-fetcher.js';
import { readPage, type PageReaderDeps } from './read-page.js';
import { createRobotsRules } from './robots-rules.js';
import { readSitemaps } from './read-sitemaps.js';
import { WEB_LIMITS, type WebLimits } from './web-limits.js';

export interface WebReport {
  requests: number;
  /** Urls that gave no page, by reason. */
  leftOut: Record<string, number>;
  /** False where a bound ended the run early: what was not seen may still be there. */
  isComplete: boolean;
}

export interface WebOptions {
  /** A sitemap; or a page, whose site's sitemaps are found by robots.txt, or which a crawl starts from. */
  start: string;
  crawl: boolean;
  /** Ask the REST API of the WordPress at `start` instead. */
  restApi?: boolean | undefined;
  /** Origins beside the start's own: scheme, host and port. */
  allow: readonly string[];
  /** `pathmend/1.0.0 (+https://…)`; robots.txt is read for what stands before the slash. */
  userAgent: string;
  logger: Logger;
  limits?: Partial<WebLimits>;
  known?: KnownPages;
  /** Urls that give no page are told to it. */
  leftOut?: LeftOut;
  /** A crawl tells it the links of each page, and which are broken. */
  links?: LinkLog | undefined;
  signal?: AbortSignal;
  clock?: Clock;
  resolve?: Resolve;
  /** Whom to ask; default: whom the operator may name. */
  guard?: Guard | undefined;
  /** Told of what is read, as it is unpacked. */
  onBytes?: ((bytes: number) => void) | undefined;
  onEnd?: (report: WebReport) => void;
}

/**
 * Reads a site's pages, one request after another: by its sitemap, link by link, or by the REST API of WordPress. Asks
 * nobody but the origins of `start` and `allow`. Throws OperatorError where the whole source cannot be read.
 */
export async function* readWeb(options: WebOptions): Source {
  const { logger, signal, clock = systemClock, known } = options;
  const start = parsePageUrl(options.start);
  if (!start) throw new OperatorError(`${options.start} is not a full http or https url without a password.`);
  const origins = new Set([new URL(start.href).origin, ...options.allow.map(originOf)]);
  const limits = { ...WEB_LIMITS, ...options.limits };
  const client = createHttpClient(options.guard ?? guardNamedHosts(), options.resolve, options.onBytes);
  const pace = new HostPace(clock, limits.requestsPerSecond);
  const polite = createPoliteFetcher({
    ...{ client, pace, clock, logger, limits, origins, userAgent: options.userAgent },
    ...(signal ? { signal } : {}),
  });
  let requests = 0;
  const fetch: typeof polite = (...asked) => {
    requests++;
    return polite(...asked);
  };
  const hops = { origins, maxHops: limits.redirects };
  const robots = createRobotsRules(fetch, options.userAgent.split('/', 1)[0] ?? '', hops);
  const { leftOut = new LeftOut() } = options;
  const frontier = new Frontier(limits, createTrapGuard(limits), origins, leftOut);
  const links = options.crawl ? options.links : undefined;
  const optional = { ...(known && { known }), ...(links && { links }), ...(signal && { signal }) };
  const deps: PageReaderDeps = { fetch, robots, hops, limits, pace, leftOut, frontier, ...optional };
  let found = 0;
  let firstReason: string | undefined;
  try {
    for await (const item of readItems(new URL(start.href), deps, options)) {
      if (item.kind === 'page' || item.kind === 'unchanged') found++;
      else if (item.kind === 'refused') firstReason ??= `${item.where}: ${item.reason}`;
      yield item;
    }
    // A site that seems empty is one that could not be read: nothing may be taken for gone.
    firstReason ??= Object.keys(leftOut.counts()).join(', ') || 'it names none';
    if (found === 0) throw new OperatorError(`${start.href} gave no page (${firstReason}).`);
  } finally {
    client.close();
    const report = { requests, leftOut: leftOut.counts(), isComplete: !frontier.isCutOff };
    logger.info('web source read', { start: start.href, ...report });
    options.onEnd?.(report);
  }
}

async function* readItems(
  start: URL,
  deps: PageReaderDeps,
  { crawl, restApi }: Pick<WebOptions, 'crawl' | 'restApi'>,
): AsyncGenerator<SourceItem> {
  if (restApi) {
    yield* readRestApi(start, deps);
    return;
  }
  if (crawl) deps.frontier.add(start.href, { depth: 0, isNamed: true });
  else yield* readSitemaps(start, deps);
  yield* readFrontier(deps, crawl);
}

async function* readFrontier(deps: PageReaderDeps, crawl: boolean): AsyncGenerator<SourceItem> {
  const { frontier, known } = deps;
  let unchanged = 0;
  for (;;) {
    for (let next = frontier.next(); next; next = frontier.next()) {
      for await (const item of readPage(next, deps, crawl)) {
        if (item.kind === 'unchanged') unchanged++;
        yield item;
      }
    }
    if (!crawl || unchanged === 0) {
      frontier.end();
      return;
    }
    unchanged = 0;
    for await (const url of known?.urls?.() ?? []) frontier.add(url, { depth: 0, isNamed: true });
    if (frontier.isEmpty) {
      frontier.end();
      return;
    }
  }
}

/** @throws OperatorError */
export function originOf(text: string): string {
  const url = parsePageUrl(text);
  if (url?.path !== '/')
    throw new OperatorError(`${text} is not an origin: a scheme and host, with a port if it has one.`);
  return new URL(url.href).origin;
}
