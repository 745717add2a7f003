const BASE = 'http://site.invalid';

/** Pages load files of these types, and no visitor reads one by itself: a missing one needs no suggestions. */
const ASSET =
  /\.(?:avif|bmp|css|eot|gif|gz|ico|jpe?g|js|json|m4a|map|mjs|mp[34]|og[gv]|otf|png|rss|svg|tar|tiff?|ttf|txt|wasm|wav|webm|webmanifest|webp|woff2?|xml|zip)$/i;

/**
 * Reads the target that stands in a request's first line.
 * @param {string} target a path with its query, or a whole url, as proxies send
 * @returns {URL} whose host says nothing
 */
export function parseTarget(target) {
  if (target.startsWith('/')) return new URL(BASE + target);
  const { pathname, search } = new URL(target, BASE);
  return new URL(BASE + pathname + search);
}

/** @param {string} pathname */
export function isAsset(pathname) {
  return ASSET.test(pathname);
}

/**
 * A suggested url as a browser understands it behind this site's own host, and undefined where that is not a path of
 * the site: `//evil.example`, `/\evil.example`, `/.//evil.example`, a tab between two slashes.
 * @param {unknown} url
 * @returns {string | undefined}
 */
export function sitePath(url) {
  if (typeof url !== 'string' || !url.startsWith('/')) return undefined;
  let parsed;
  try {
    parsed = new URL(url, BASE);
  } catch {
    return undefined;
  }
  if (parsed.origin !== BASE || parsed.pathname.startsWith('//')) return undefined;
  return parsed.pathname + parsed.search + parsed.hash;
}

/**
 * Returns where a rule of the site's owner leads: a path of the site, or an address on another host.
 * @param {string | null} location
 * @returns {string | undefined}
 */
export function siteLocation(location) {
  if (location === null || !/^https?:\/\//i.test(location)) return sitePath(location);
  try {
    const { href, username, password } = new URL(location);
    return username === '' && password === '' ? href : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether a redirect from `requestUrl` to `to` is at risk of coming back at once: the same path but for its query, its
 * notation or a slash at its end, which many sites add or take away by a redirect of their own.
 * @param {string} to as {@link siteLocation} gives it
 * @param {URL} requestUrl
 * @param {string} [origin] of the site, where it is known
 */
export function isSamePage(to, requestUrl, origin) {
  const { origin: host, pathname, search } = new URL(to, BASE);
  if (host !== BASE && host !== origin) return false;
  return plain(pathname) === plain(requestUrl.pathname) && (search === '' || search === requestUrl.search);
}

/** @param {string} pathname */
function plain(pathname) {
  let decoded = pathname;
  try {
    decoded = decodeURIComponent(pathname);
  } catch {
    // The path has a percent sign that encodes nothing: it is compared as it is.
  }
  return decoded.endsWith('/') ? decoded.slice(0, -1) : decoded;
}
