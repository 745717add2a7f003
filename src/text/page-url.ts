import { createHash } from 'node:crypto';
import { parseUrl } from './parse-url.js';

export interface PageUrl {
  /** Normalized: a page's identity within its project. */
  href: string;
  host: string;
  /** What suggestions carry: pathname and query string. */
  path: string;
  /** SHA-256 of href. */
  hash: Buffer;
}

/**
 * Normalizes a page's url: WHATWG URL parsing, fragment dropped, default port dropped, host lower case. A trailing
 * slash and the query string count. Undefined when the text is not an absolute http(s) url.
 */
export function parsePageUrl(text: string): PageUrl | undefined {
  const url = /^\s*https?:\/\//i.test(text) ? parseUrl(text) : undefined;
  if (!url) return undefined;
  if (url.hostname === '' || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
  // A user name and password in an address are dropped by no browser and belong in no index.
  if (url.username !== '' || url.password !== '') return undefined;
  url.hash = '';
  const { href, host } = url;
  return { href, host, path: url.pathname + url.search, hash: createHash('sha256').update(href).digest() };
}

/** An entry of excludeUrls: a full URL, or a path as suggestions carry it. */
export function parseExclusion(text: string): { href: string; hash: Buffer } | { path: string } {
  const page = parsePageUrl(text);
  if (page) return { href: page.href, hash: page.hash };
  // A base gives a bare path the same percent-encoding as a page's own.
  const base = 'http://path.invalid/';
  const candidate = text.trim();
  const url = parseUrl(candidate.replace(/^\/+/, '/'), base);
  return { path: url ? url.pathname + url.search : candidate };
}
