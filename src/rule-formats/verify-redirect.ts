import { isSamePage } from '../text/same-url.js';
import { parseUrl } from '../text/page-url.js';
import { messageOf } from '../base/errors.js';
import { formatSource, parseSource } from './read/source-address.js';

/** The result of a check: where a live site leads a visitor of an old url. */
export interface Verified {
  path: string;
  /** The page that the project knows; null: the path is gone for good. */
  expected: string | null;
  /** The status of the last answer; null if the site did not answer. */
  status: number | null;
  /** The addresses to which the site redirected, in order. */
  hops: string[];
  /**
   * The last address that was requested. A right redirect to another host ends at that address, which is not requested.
   */
  final: string | null;
  ok: boolean;
  /** Whether there is more than one redirect on the way: each costs the visitor a round trip. */
  chain: boolean;
  /** Whether the redirects lead back to an address on the way. */
  loop: boolean;
  /** The problem that was found, such as a loop, another page or no redirect; absent if there is none. */
  problem?: string;
}

/** Requests one url, and follows no redirect. */
export type RequestUrl = (url: URL) => Promise<{ status: number; location: string | null }>;

export const MAX_HOPS = 10;

/** Longer addresses are not stored, so that a longer Location counts as no url. */
const MAX_LOCATION = 4_096;

/**
 * Requests an old path from a site, and follows its redirects to the end. Only the site gets requests: pages on the
 * project's own hosts are requested from the site, so that a copy can be verified. A redirect to another host ends the
 * check; it is right if the rule leads to that address.
 * @param hosts the hosts of the project's pages
 */
export async function verifyRedirect(
  ask: RequestUrl,
  site: URL,
  hosts: ReadonlySet<string>,
  { path, url: expected }: { path: string; url: string | null },
): Promise<Verified> {
  const verified: Verified = {
    path,
    expected,
    status: null,
    hops: [],
    final: null,
    ok: false,
    chain: false,
    loop: false,
  };
  const source = parseSource(path);
  if (!source) return { ...verified, problem: 'no browser can ask for it' };
  let at = new URL(site.origin + formatSource(source));
  const seen = new Set([at.href]);
  for (;;) {
    let answer: Awaited<ReturnType<RequestUrl>>;
    try {
      answer = await ask(at);
    } catch (error) {
      return { ...verified, problem: `no answer from ${at.href}: ${messageOf(error)}` };
    }
    verified.status = answer.status;
    verified.final = at.href;
    if (answer.status < 300 || answer.status > 399 || answer.location === null) {
      const problem = findProblem(verified, at, answer.status);
      return problem === undefined ? { ...verified, ok: true } : { ...verified, problem };
    }
    const next = answer.location.length > MAX_LOCATION ? undefined : parseUrl(answer.location, at.href);
    if (!next || !/^https?:$/.test(next.protocol))
      return { ...verified, problem: `redirects to no http(s) url: ${JSON.stringify(answer.location.slice(0, 200))}` };
    verified.hops.push(next.href);
    verified.chain = verified.hops.length > 1;
    const onSite = toSite(next, site, hosts);
    if (!onSite)
      return next.href === parseUrl(expected ?? '')?.href
        ? { ...verified, final: next.href, ok: true }
        : { ...verified, problem: `leads to another host: ${next.href}` };
    onSite.hash = '';
    if (seen.has(onSite.href)) return { ...verified, loop: true, problem: `a loop: ${next.href} again` };
    if (verified.hops.length >= MAX_HOPS) return { ...verified, problem: `more than ${MAX_HOPS} hops` };
    seen.add(onSite.href);
    at = onSite;
  }
}

function findProblem({ expected, hops }: Verified, at: URL, status: number): string | undefined {
  if (expected === null)
    return status === 404 || status === 410
      ? undefined
      : `is gone for good, and the site answers ${status} on ${at.href}`;
  if (status < 200 || status > 299) return `${hops.length === 0 ? 'is' : `${at.href} is`} ${status}`;
  return isSamePage(at.pathname + at.search, expected) ? undefined : `ends on ${at.href}`;
}

/** Returns the url to request from the site; undefined if its host is neither the site's nor the project's. */
function toSite(url: URL, site: URL, hosts: ReadonlySet<string>): URL | undefined {
  if (url.host === site.host || (url.hostname === site.hostname && url.port === '')) return url;
  return hosts.has(url.host) ? new URL(site.origin + url.pathname + url.search) : undefined;
}
