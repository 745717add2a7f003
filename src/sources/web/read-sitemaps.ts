import { OperatorError } from '../../base/errors.js';
import { parseUrl } from '../../text/page-url.js';
import type { SourceItem } from '../source.js';
import type { Frontier } from './frontier.js';
import { followRedirects, Unfetched, type PoliteFetch } from './polite-fetcher.js';
import { readSitemap } from './read-sitemap.js';
import type { RobotsRules } from './robots-rules.js';
import type { WebLimits } from './web-limits.js';

export interface SitemapContext {
  fetch: PoliteFetch;
  robots: RobotsRules;
  hops: { origins: ReadonlySet<string>; maxHops: number };
  limits: WebLimits;
  frontier: Frontier;
}

/**
 * Puts the pages of a sitemap, and of those that it leads to, into the frontier; yields what was refused. A `start`
 * that does not look like a sitemap is a site, whose robots.txt names its sitemaps; else it is /sitemap.xml.
 */
export async function* readSitemaps(start: URL, context: SitemapContext): AsyncGenerator<SourceItem> {
  const { hops, limits, frontier } = context;
  const isSitemap = /\.(?:xml|txt)(?:\.gz)?$/i.test(start.pathname) || start.search !== '';
  const named = isSitemap ? [start.href] : await context.robots.sitemaps(start);
  const first = named.length > 0 ? named : [new URL('/sitemap.xml', start).href];
  const queue = first.map((url) => ({ url, depth: 0 }));
  const seen = new Set<string>();
  let pages = 0;
  let firstFailure: string | undefined;
  for (const { url: text, depth } of queue) {
    const url = parseUrl(text);
    if (!url || !hops.origins.has(url.origin)) {
      yield refused(text, 'its origin may not be asked');
      continue;
    }
    if (seen.has(url.href)) continue;
    seen.add(url.href);
    if (seen.size > limits.sitemaps || depth > limits.sitemapDepth) {
      frontier.isCutOff = true;
      yield refused(text, 'it is one sitemap too many, or too deep');
      continue;
    }
    try {
      const { answer } = await followRedirects((hop) => context.fetch(hop, {}, limits.sitemapBytes), url, hops);
      try {
        if (answer.status !== 200) throw new Unfetched(`the server answers ${answer.status}`);
        for await (const entry of readSitemap(answer.body, limits.sitemapBytes)) {
          const target = parseUrl(entry.url);
          // No url: any page may be meant.
          if (!target) yield refused(`an entry of ${url.href}`, `${entry.url.slice(0, 200)} is no url`);
          else if (!hops.origins.has(target.origin))
            yield refused(url.href, `${entry.url.slice(0, 200)} is of an origin that may not be asked`);
          else if (entry.kind === 'sitemap') queue.push({ url: entry.url, depth: depth + 1 });
          else {
            pages++;
            const { lastmod } = entry;
            frontier.add(entry.url, {
              depth: 0,
              isNamed: true,
              from: url.href,
              ...(lastmod === undefined ? {} : { lastmod }),
            });
          }
          if (queue.length <= 2 * limits.sitemaps) continue;
          frontier.isCutOff = true;
          break;
        }
      } finally {
        answer.body.destroy();
      }
    } catch (error) {
      if (error instanceof OperatorError || !(error instanceof Error) || error.name === 'AbortError') throw error;
      // What was read before it broke off stays; but nothing may be taken for gone.
      frontier.isCutOff = true;
      firstFailure ??= `${url.href}: ${error.message}`;
      yield refused(url.href, error.message);
    }
  }
  if (pages === 0 && firstFailure !== undefined)
    throw new OperatorError(`No sitemap could be read (${firstFailure}). Name one, or follow links with --crawl.`);
}

function refused(where: string, reason: string): SourceItem {
  return { kind: 'refused', where, reason };
}
