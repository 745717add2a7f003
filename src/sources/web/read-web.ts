import { systemClock, type Clock } from '../../base/clock.js';
import { OperatorError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import { parsePageUrl } from '../../text/page-url.js';
import { LeftOut, type KnownPages, type Source, type SourceItem } from '../source.js';
import { ALL_PATHS, createPathFilter, type PathFilter } from '../path-filter.js';
import { createTrapGuard } from './crawl-traps.js';
import { Frontier } from './frontier.js';
import { createHttpClient, guardNamedHosts, type Guard, type Resolve } from './http-client.js';
import type { LinkLog } from './link-log.js';
import { createFetcher } from './polite-fetcher.js';
import { readPage, type PageReaderDeps } from './read-page.js';
import { createRobotsRules } from './robots-rules.js';
import { readSitemaps } from './read-sitemaps.js';
import { WEB_LIMITS, type WebLimits } from './web-limits.js';

export interface WebReport {
  requests: number;
  /** Number of urls without a page, by reason. */
  leftOut: Record<string, number>;
  /** Whether the run read the whole site; false if a bound ended it: unread pages may still exist. */
  isComplete: boolean;
}

export interface WebOptions {
  /** A sitemap, or a page of the site; a crawl starts there. */
  start: string;
  crawl: boolean;
  /** Allowed origins besides the start's own: scheme, host and port. */
  allow: readonly string[];
  /** `pathmend/1.0.0 (+https://…)`; the part before the slash is the product in robots.txt. */
  userAgent: string;
  logger: Logger;
  limits?: Partial<WebLimits>;
  known?: KnownPages;
  /** The paths that are read. A crawl also requests paths outside `include`, since they may have links. */
  filter?: PathFilter | undefined;
  /** Collects urls without a page. */
  leftOut?: LeftOut;
  /** Collects the links of a crawl. */
  links?: LinkLog | undefined;
  signal?: AbortSignal;
  /** Does work that needs a processor for long; default: does it at once. */
  inTurn?: (<Result>(work: () => Result) => Promise<Result>) | undefined;
  clock?: Clock;
  resolve?: Resolve;
  /** The guard of connections; default: {@link guardNamedHosts}. */
  guard?: Guard | undefined;
  /** Gets the name of the server that answers a page ({@link frontServer}), where its headers show it. */
  onServer?: ((name: string) => void) | undefined;
  /** Called with the unpacked bytes of each chunk. */
  onBytes?: ((bytes: number) => void) | undefined;
  onEnd?: (report: WebReport) => void;
}

/**
 * Reads a site's pages one by one, by its sitemap or by links. Sends requests only to the origins of `start` and
 * `allow`.
 * @throws OperatorError if the site cannot be read, or has no page
 */
export async function* readWeb(options: WebOptions): Source {
  const { logger, signal, clock = systemClock, known } = options;
  const start = parsePageUrl(options.start);
  if (!start) throw new OperatorError(`${options.start} is not a full http or https url without a password.`);
  const origins = new Set([new URL(start.href).origin, ...options.allow.map(originOf)]);
  const limits = { ...WEB_LIMITS, ...options.limits };
  const client = createHttpClient(options.guard ?? guardNamedHosts(), options.resolve, options.onBytes);
  const { userAgent } = options;
  const fetcher = createFetcher({ client, clock, logger, limits, origins, userAgent, signal });
  const robots = createRobotsRules(fetcher, userAgent.split('/', 1)[0] ?? '');
  const { leftOut = new LeftOut() } = options;
  const { include, exclude } = options.filter ?? ALL_PATHS;
  const reasonOf = createPathFilter({ include: options.crawl ? [] : include, exclude });
  const filter = (url: URL): string | undefined =>
    options.crawl && url.href === start.href ? undefined : reasonOf(url.href);
  const frontier = new Frontier({ limits, filter, trap: createTrapGuard(limits), origins, leftOut });
  const links = options.crawl ? options.links : undefined;
  const { inTurn = (work) => Promise.resolve().then(work) } = options;
  const base = { fetcher, robots, leftOut, frontier, known, links, onServer: options.onServer };
  const deps: PageReaderDeps = { ...base, clock, signal, inTurn };
  let pages = 0;
  let firstReason: string | undefined;
  try {
    for await (const item of readItems(new URL(start.href), deps, options.crawl)) {
      if (item.kind === 'page' || item.kind === 'unchanged') pages++;
      else if (item.kind === 'refused') firstReason ??= `${item.where}: ${item.reason}`;
      yield item;
    }
    // An empty site counts as unreadable, so that no page counts as gone.
    firstReason ??= Object.keys(leftOut.counts()).join(', ') || 'it names none';
    if (pages === 0) throw new OperatorError(`${start.href} gave no page (${firstReason}).`);
  } finally {
    client.close();
    const report = { requests: fetcher.requests(), leftOut: leftOut.counts(), isComplete: !frontier.isCutOff };
    logger.info('web source read', { start: start.href, ...report });
    options.onEnd?.(report);
  }
}

async function* readItems(start: URL, deps: PageReaderDeps, crawl: boolean): AsyncGenerator<SourceItem> {
  const { frontier, known } = deps;
  if (crawl) frontier.add(start.href, { depth: 0, isNamed: true });
  else yield* readSitemaps(start, deps);
  do {
    let unchanged = 0;
    for (let next = frontier.next(); next; next = frontier.next())
      for await (const item of readPage(next, deps, crawl)) {
        if (item.kind === 'unchanged') unchanged++;
        yield item;
      }
    if (!crawl || unchanged === 0) break;
    for await (const url of known?.urls?.() ?? []) frontier.add(url, { depth: 0, isNamed: true });
  } while (!frontier.isEmpty);
  frontier.end();
}

/** @throws OperatorError */
export function originOf(text: string): string {
  const url = parsePageUrl(text);
  if (url?.path !== '/')
    throw new OperatorError(`${text} is not an origin: a scheme and host, with a port if it has one.`);
  return new URL(url.href).origin;
}
