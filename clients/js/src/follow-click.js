import { sitePath } from './site-path.js';

/**
 * Leads a visitor who clicked a suggestion to its page, and counts the click. A link that we did not sign leads nowhere
 * (the site's own 404). An old one still leads to its page, without being counted; so does one that a browser fetches
 * before anybody clicked it.
 * @param {import('./click-links.js').ClickLinks} links
 * @param {import('./event-queue.js').EventQueue} events
 * @param {URL} requestUrl
 * @param {import('./recover.js').Visit} visit
 * @param {(error: unknown) => void} report
 * @returns {Promise<import('./recover.js').Answer | undefined>}
 */
export async function followClick(links, events, requestUrl, visit, report) {
  const click = await links.verify(requestUrl.searchParams);
  const target = sitePath(click?.to);
  if (!click || target === undefined) return undefined;
  const seen = visit.method === 'GET' && !/prefetch|prerender/.test(visit.header('sec-purpose') ?? '');
  if (seen && Date.now() < Number(click.expires)) {
    events.push(
      {
        clicked_url: click.to,
        clicked_rank: Number(click.rank),
        raw_path: click.from,
        search_id: click.search,
        origin: visit.origin ?? null,
        timestamp: new Date().toISOString(),
      },
      report,
    );
  }
  return {
    status: 302,
    headers: { Location: target, 'Cache-Control': 'no-store', 'X-Robots-Tag': 'noindex' },
    body: '',
  };
}
