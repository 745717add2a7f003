import { parseUrl } from '../page-url.js';

export interface LoggedRequest {
  at: Date;
  status: number;
  method: string;
  /** The path with its query string. */
  path: string;
  /** Scheme and host, if the log has both. */
  origin: string | null;
  referrer: string | null;
  userAgent: string | null;
  /** The visitor's address, by visitorAddress; it may be the name of a host, or have a port. */
  ip: string | null;
}

/** A parsed line: a request, a refusal, or undefined for an empty line or a directive. */
export type ReadLine = LoggedRequest | { refused: string } | undefined;

export function refuse(reason: string): { refused: string } {
  return { refused: reason };
}

/** Splits the target of a request, which may be a whole url (RFC 9112, 3.2.2). */
export function splitTarget(target: string): { path: string; origin: string | null } {
  const [site] = /^https?:\/\/[^/?#]+/i.exec(target) ?? [];
  if (site === undefined) return { path: target, origin: null };
  const rest = target.slice(site.length);
  return { path: rest.startsWith('/') ? rest : `/${rest}`, origin: parseUrl(site)?.origin ?? null };
}

/** Splits the first line of a request: `GET /path HTTP/1.1`. Undefined for anything else, such as a TLS handshake. */
export function splitRequestLine(line: string): { method: string; target: string } | undefined {
  const [, method, target] = /^([A-Za-z]+) (.+?)(?: HTTP\/\d(?:\.\d)?)?$/s.exec(line) ?? [];
  return method === undefined || target === undefined ? undefined : { method, target };
}

const SCHEMES: Record<string, string> = { 80: 'http', 443: 'https' };

/** The site of a host; null if the port is not a usual one, which would show the scheme. */
export function siteAtPort(port: string | null | undefined, host: string | null): string | null {
  return siteOf(SCHEMES[port ?? ''] ?? null, host);
}

export function siteOf(scheme: string | null, host: string | null): string | null {
  return scheme === null || host === null ? null : (parseUrl(`${scheme}://${host}`)?.origin ?? null);
}

/** Logs write `-` for missing values. */
export function nullIfEmpty(text: string | null | undefined): string | null {
  return text === undefined || text === null || text === '' || text === '-' ? null : text;
}
