import { systemClock } from '../../base/clock.js';
import type { Logger } from '../../base/logger.js';
import { parseUrl } from '../../text/page-url.js';
import { createHttpClient, guardNamedHosts } from './http-client.js';
import { createPoliteFetcher, followRedirects, HostPace, Unfetched } from './polite-fetcher.js';
import { BadSitemap, readSitemap } from './read-sitemap.js';
import { WEB_LIMITS } from './web-limits.js';

export interface SitemapUrl {
  /** Of a page; or, with a reason, of a sitemap that is not read. */
  url: string;
  reason?: string;
}

export interface SitemapFetch {
  /** Scheme, host and port that the operator named: nobody else is asked. */
  origins: ReadonlySet<string>;
  userAgent: string;
  logger: Logger;
}

/** The urls of a sitemap that is served, and of those that it leads to, whatever they look like. */
export async function* readSitemapUrls(
  start: string,
  { origins, userAgent, logger }: SitemapFetch,
): AsyncGenerator<SitemapUrl> {
  const limits = WEB_LIMITS;
  const client = createHttpClient(guardNamedHosts());
  const pace = new HostPace(systemClock, limits.requestsPerSecond);
  const fetch = createPoliteFetcher({ client, pace, clock: systemClock, logger, limits, userAgent, origins });
  const hops = { origins, maxHops: limits.redirects };
  const queue = [{ text: start, depth: 0 }];
  const seen = new Set<string>();
  try {
    for (const { text, depth } of queue) {
      const url = parseUrl(text, start);
      if (!url || !origins.has(url.origin)) {
        yield { url: text, reason: `is a sitemap of an origin that may not be asked: name it with --allow` };
        continue;
      }
      if (seen.has(url.href)) continue;
      seen.add(url.href);
      if (seen.size > limits.sitemaps || depth > limits.sitemapDepth) {
        yield { url: text, reason: 'is one sitemap too many, or too deep' };
        continue;
      }
      try {
        const { answer } = await followRedirects((hop) => fetch(hop, {}, limits.sitemapBytes), url, hops);
        try {
          if (answer.status !== 200) throw new Unfetched(`the server answers ${answer.status}`);
          for await (const entry of readSitemap(answer.body, limits.sitemapBytes)) {
            if (entry.kind === 'page') yield { url: entry.url };
            else if (queue.length <= 2 * limits.sitemaps) queue.push({ text: entry.url, depth: depth + 1 });
            else yield { url: entry.url, reason: 'is one sitemap too many' };
          }
        } finally {
          answer.body.destroy();
        }
      } catch (error) {
        // What was read before it broke off stays.
        if (!(error instanceof Unfetched) && !(error instanceof BadSitemap)) throw error;
        yield { url: url.href, reason: `is a sitemap that cannot be read: ${error.message}` };
      }
    }
  } finally {
    client.close();
  }
}
