import { systemClock } from '../../base/clock.js';
import { OperatorError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import { parseUrl } from '../../text/page-url.js';
import type { SourceItem } from '../source.js';
import type { Frontier } from './frontier.js';
import { createHttpClient, guardNamedHosts } from './http-client.js';
import { createFetcher, Unfetched, type Fetcher } from './polite-fetcher.js';
import { readSitemap } from './read-sitemap.js';
import type { RobotsRules } from './robots-rules.js';
import { WEB_LIMITS } from './web-limits.js';

/** The statuses of /sitemap.xml on a site without a sitemap; with 200, some sites send a page instead. */
const NONE = new Set([200, 404, 410]);

/** The site has no sitemap: it can be crawled instead. */
export class NoSitemap extends OperatorError {}

/** A page of a sitemap; or a sitemap that is not read: of another origin, beyond a bound, or broken. */
type WalkedUrl =
  | { kind: 'page'; url: string; from: string; lastmod: string | undefined }
  | { kind: 'foreign' | 'beyond'; url: string; from?: string }
  | { kind: 'unreadable'; url: string; from?: string; reason: string; isAnswered: boolean };

/**
 * Adds the pages of a sitemap and its sub-sitemaps to the frontier, and yields refusals. If `start` does not look like
 * a sitemap, reads the sitemaps of the site's robots.txt, else /sitemap.xml.
 */
export async function* readSitemaps(
  start: URL,
  { fetcher, robots, frontier }: { fetcher: Fetcher; robots: RobotsRules; frontier: Frontier },
): AsyncGenerator<SourceItem> {
  const isSitemap = /\.(?:xml|txt)(?:\.gz)?$/i.test(start.pathname) || start.search !== '';
  const named = isSitemap ? [start.href] : await robots.sitemaps(start);
  let pages = 0;
  let firstFailure: string | undefined;
  const guess = named.length === 0 ? new URL('/sitemap.xml', start).href : undefined;
  for await (const entry of walk(guess === undefined ? named : [guess], fetcher)) {
    const { kind, url, from } = entry;
    const target = parseUrl(url);
    if (kind === 'page' && target && fetcher.origins.has(target.origin)) {
      pages++;
      frontier.add(url, { depth: 0, isNamed: true, from, lastmod: entry.lastmod });
    } else if (kind === 'page' || kind === 'foreign') {
      if (from === undefined) yield refused(url, 'its origin may not be requested');
      // The refusal has no url, so that no page counts as gone.
      else if (!target) yield refused(`an entry of ${from}`, `${url.slice(0, 200)} is no url`);
      else yield refused(from, `${url.slice(0, 200)} is of an origin that may not be requested: name it with --allow`);
    } else if (kind === 'unreadable' && url === guess && entry.isAnswered)
      throw new NoSitemap(`${NONE_READ} (${url}: ${entry.reason}). ${NAME_ONE}`);
    else {
      // The pages found so far are kept, but no page may count as gone.
      frontier.isCutOff = true;
      if (kind === 'unreadable') firstFailure ??= `${url}: ${entry.reason}`;
      yield refused(url, kind === 'unreadable' ? entry.reason : 'it is one sitemap too many, or too deep');
    }
  }
  if (pages === 0 && firstFailure !== undefined) throw new OperatorError(`${NONE_READ} (${firstFailure}). ${NAME_ONE}`);
}

const NONE_READ = 'No sitemap could be read';
const NAME_ONE = 'Name one, or follow links with --crawl.';

function refused(where: string, reason: string): SourceItem {
  return { kind: 'refused', where, reason };
}

/** @param base resolves relative urls of sitemaps, which are refused without it */
async function* walk(starts: readonly string[], fetcher: Fetcher, base?: string): AsyncGenerator<WalkedUrl> {
  const { origins, limits } = fetcher;
  const queue: { url: string; depth: number; from?: string }[] = starts.map((url) => ({ url, depth: 0 }));
  const seen = new Set<string>();
  for (const { depth, ...sitemap } of queue) {
    const url = parseUrl(sitemap.url, base);
    if (!url || !origins.has(url.origin)) {
      yield { kind: 'foreign', ...sitemap };
      continue;
    }
    if (seen.has(url.href)) continue;
    seen.add(url.href);
    if (seen.size > limits.sitemaps || depth > limits.sitemapDepth) {
      yield { kind: 'beyond', ...sitemap };
      continue;
    }
    const from = url.href;
    let status: number | undefined;
    try {
      const { answer } = await fetcher.follow(url, { bytes: limits.sitemapBytes });
      try {
        status = answer.status;
        if (status !== 200) throw new Unfetched(`the server answers ${answer.status}`);
        for await (const entry of readSitemap(answer.body, limits.sitemapBytes))
          if (entry.kind === 'page') yield { ...entry, kind: 'page', from };
          else if (queue.length <= 2 * limits.sitemaps) queue.push({ url: entry.url, depth: depth + 1, from });
          else {
            yield { kind: 'beyond', url: entry.url, from };
            break;
          }
      } finally {
        answer.body.destroy();
      }
    } catch (error) {
      if (error instanceof OperatorError || !(error instanceof Error) || error.name === 'AbortError') throw error;
      const isAnswered = status !== undefined && NONE.has(status);
      yield { kind: 'unreadable', url: from, reason: error.message, isAnswered };
    }
  }
}

export interface SitemapUrl {
  /** The url of a page; with `reason`, of a sitemap that was not read. */
  url: string;
  reason?: string;
}

/** Reads the urls of a served sitemap and its sub-sitemaps, unchecked. Only `origins` get requests. */
export async function* readSitemapUrls(
  start: string,
  options: { origins: ReadonlySet<string>; userAgent: string; logger: Logger },
): AsyncGenerator<SitemapUrl> {
  const client = createHttpClient(guardNamedHosts());
  const fetcher = createFetcher({ client, clock: systemClock, limits: WEB_LIMITS, ...options });
  try {
    for await (const entry of walk([start], fetcher, start)) {
      const { url } = entry;
      if (entry.kind === 'page') yield { url };
      else if (entry.kind === 'unreadable') yield { url, reason: `is a sitemap that cannot be read: ${entry.reason}` };
      else if (entry.kind === 'beyond') yield { url, reason: 'is one sitemap too many, or too deep' };
      else yield { url, reason: 'is a sitemap of an origin that may not be requested: name it with --allow' };
    }
  } finally {
    client.close();
  }
}
