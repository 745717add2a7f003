import { parseUrl } from './page-url.js';
import { comparedQuery } from './paths/plain-path.js';

const INDEX_FILE = /\/(?:index|default)\.(?:html?|php|aspx?|jsp)$/i;

/**
 * Whether a requested url is that of the page. These differences are ignored, because browsers and servers make them:
 * scheme, `www.`, trailing slash, index file, percent-encoding, fragment, tracking parameters and the order of the
 * others. A path without a host matches every host.
 */
export function isSamePage(requested: string, pageUrl: string): boolean {
  return compare(requested, pageUrl, plain) !== undefined;
}

/** Like {@link isSamePage}, but only percent-encoding may differ: a 404 of `/page/` does not count for `/page`. */
export function isSameUrl(requested: string, pageUrl: string): boolean {
  return compare(requested, pageUrl, decoded) !== undefined;
}

/**
 * Whether a requested url is that of the page, and its path differs only by doubled or encoded slashes (`//a`, `/a//`,
 * `/a%2Fb`). No server leads a visitor from the page's own url to one of these, so a redirect back makes no loop.
 */
export function hasNeedlessSlashes(requested: string, pageUrl: string): boolean {
  const same = compare(requested, pageUrl, plain);
  return same !== undefined && NEEDLESS.test(same.requested) && !NEEDLESS.test(same.page);
}

const NEEDLESS = /%2f|\/\//i;

/** Returns both paths if host and query string are the same, and the paths, too, in the form of `form`. */
function compare(requested: string, pageUrl: string, form: (path: string) => string) {
  const page = parseUrl(pageUrl);
  const url = page && parseUrl(onSite(requested.trim(), page.origin));
  if (!url || withoutWww(url.host) !== withoutWww(page.host)) return undefined;
  if (comparedQuery(url.search.slice(1)) !== comparedQuery(page.search.slice(1))) return undefined;
  return form(url.pathname) === form(page.pathname) ? { requested: url.pathname, page: page.pathname } : undefined;
}

/** Puts a path on the page's site. `//double//slash` is a path here, as in proxy, not a host. */
function onSite(address: string, origin: string): string {
  return /^[a-z][a-z0-9+.-]*:/i.test(address) ? address : `${origin}${/^[/\\?#]/.test(address) ? '' : '/'}${address}`;
}

/** Returns a host without `www.` at its beginning: a site has both. */
export function withoutWww(host: string): string {
  return host.replace(/^www\./, '');
}

function plain(path: string): string {
  return decoded(path)
    .replace(INDEX_FILE, '/')
    .split('/')
    .filter((segment) => segment !== '')
    .join('/');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text).normalize('NFC');
  } catch {
    return text;
  }
}
