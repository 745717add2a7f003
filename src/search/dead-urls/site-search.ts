import type { Request } from 'express';
import { parseUrl } from '../../text/page-url.js';

/** The search of a site, as a form with the method GET calls it. */
export interface SiteSearch {
  /** The path or url of the search, without its query string. */
  action: string;
  /** The name of the field that takes the words. */
  name: string;
  /** Hidden fields: parameters that are always sent. */
  hidden: readonly (readonly [string, string])[];
  /** The source that a `Content-Security-Policy` has for the site. */
  source: string;
  /** Whether the search is pathmend's own, which shows pages while a visitor types. */
  isOwn?: boolean;
}

/** Finds pathmend's own search, where the site's server names a path that it sends to `GET /v1/search`. */
export function findOwnSearch(request: Request): SiteSearch | undefined {
  const action = sitePath(request, 'X-Pathmend-Search');
  return action === undefined ? undefined : { action, name: 'query', hidden: [], source: "'self'", isOwn: true };
}

/** In these headers the site's server names paths of its own. */
export const SITE_PATHS = ['X-Pathmend-Click', 'X-Pathmend-Search'] as const;

/** Reads a path of the site. A visitor may have sent it: it is never a path that leaves the site. */
export function sitePath(request: Request, header: (typeof SITE_PATHS)[number]): string | undefined {
  const path = request.get(header) ?? '';
  return /^(?:\/[\w.-]+){1,20}$/.test(path) ? path : undefined;
}

export const SITE_SEARCH_FORM =
  'A path or a url of the site that ends where the words begin is expected, such as /search?q=';

const MAX_CHARACTERS = 2_048;

/** Reads the address of a site's search, which ends where the words begin: `/search?q=`; else undefined. */
export function parseSiteSearch(address: string): SiteSearch | undefined {
  if (address.length > MAX_CHARACTERS || !/^(?:\/(?![/\\])|https?:\/\/)[^\s#]*=$/i.test(address)) return undefined;
  const isPath = address.startsWith('/');
  const url = isPath ? parseUrl(`https://site.invalid${address}`) : parseUrl(address);
  const parameters = [...(url?.searchParams ?? [])];
  const [name] = parameters.pop() ?? [''];
  if (!url || name === '') return undefined;
  return {
    action: isPath ? url.pathname : url.origin + url.pathname,
    name,
    hidden: parameters,
    source: isPath ? "'self'" : url.origin,
  };
}
