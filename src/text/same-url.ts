import { parseUrl } from './parse-url.js';

/** Parameters that links carry and no page reads. */
const TRACKING = /^(?:utm_\w+|gclid|fbclid|msclkid|mc_[ce]id)$/i;
const INDEX_FILE = /\/(?:index|default)\.(?:html?|php|aspx?|jsp)$/i;

/**
 * Whether a url that somebody asked for is this page's own, as a browser or a site's server may have changed it: the
 * scheme, `www.`, a trailing slash, an index file, percent-encoding, the fragment and tracking parameters make no other
 * page. Asked for by its path alone, every host is meant.
 */
export function isPagesOwnUrl(asked: string, pageUrl: string): boolean {
  const page = parseUrl(pageUrl);
  const url = page && parseUrl(onSite(asked.trim(), page.origin));
  if (!url) return false;
  return hostOf(url) === hostOf(page) && plain(url.pathname) === plain(page.pathname) && queryOf(url) === queryOf(page);
}

/**
 * The same to the letter, but for percent-encoding and tracking parameters: what a 404 of this url says of the page,
 * one of `/page/` does not.
 */
export function isExactlyPagesUrl(asked: string, pageUrl: string): boolean {
  const page = parseUrl(pageUrl);
  const url = page && parseUrl(onSite(asked.trim(), page.origin));
  if (!url) return false;
  return (
    hostOf(url) === hostOf(page) && decoded(url.pathname) === decoded(page.pathname) && queryOf(url) === queryOf(page)
  );
}

/** Without a scheme it is a path, as proxy takes it: `//double//slash` too, which is a link to a host elsewhere. */
function onSite(asked: string, origin: string): string {
  return /^[a-z][a-z0-9+.-]*:/i.test(asked) ? asked : `${origin}${/^[/\\?#]/.test(asked) ? '' : '/'}${asked}`;
}

/** A url without its tracking parameters; a path stays one. */
export function withoutTracking(url: string): string {
  const at = url.indexOf('?');
  if (at < 0) return url;
  const end = url.indexOf('#', at) < 0 ? url.length : url.indexOf('#', at);
  const kept = url
    .slice(at + 1, end)
    .split('&')
    .filter((one) => !TRACKING.test(one.split('=', 1)[0] ?? ''));
  return url.slice(0, at) + (kept.length === 0 ? '' : `?${kept.join('&')}`) + url.slice(end);
}

function hostOf({ host }: URL): string {
  return host.replace(/^www\./, '');
}

function plain(path: string): string {
  return decoded(path)
    .replace(INDEX_FILE, '/')
    .split('/')
    .filter((segment) => segment !== '')
    .join('/');
}

function queryOf({ search }: URL): string {
  return decoded(withoutTracking(search));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
