import { createHash } from 'node:crypto';

/**
 * Parses a url; undefined if the text is not a url. `URL.canParse` is not used: on Node 20, once its caller is
 * optimized, it refuses texts with letters between U+0080 and U+00FF (295,485 of 300,000 calls with
 * `https://bücher.example/`).
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

export interface PageUrl {
  /** The normalized url, which is the identity of a page within its project. */
  href: string;
  host: string;
  /** Pathname and query string, as suggestions show them. */
  path: string;
  /** SHA-256 of href. */
  hash: Buffer;
}

/**
 * Normalizes a page's url: WHATWG URL parsing, without fragment and default port, host in lower case. The trailing
 * slash and the query string are kept. Undefined if the text is not an absolute http(s) url.
 */
export function parsePageUrl(text: string): PageUrl | undefined {
  const url = /^\s*https?:\/\//i.test(text) ? parseUrl(text) : undefined;
  if (!url) return undefined;
  if (url.hostname === '' || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
  // Credentials do not belong in an index.
  if (url.username !== '' || url.password !== '') return undefined;
  url.hash = '';
  const { href, host } = url;
  return { href, host, path: url.pathname + url.search, hash: createHash('sha256').update(href).digest() };
}

/** A path as a reference that stays on the site: in a browser `//help/x` has the host `help`; `/.//help/x` has none. */
export function localPath(path: string): string {
  return path.startsWith('//') ? `/.${path}` : path;
}

/** Parses an entry of excludeUrls: a full URL, or a path as suggestions show it. */
export function parseExclusion(text: string): { href: string; hash: Buffer } | { path: string } {
  const page = parsePageUrl(text);
  if (page) return { href: page.href, hash: page.hash };
  // Parsing with a base gives the path the same percent-encoding as a stored one.
  const base = 'http://path.invalid/';
  const candidate = text.trim();
  const url = parseUrl(candidate.replace(/^\/+/, '/'), base);
  return { path: url ? url.pathname + url.search : candidate };
}
