import robotsParserModule from 'robots-parser';
import { OperatorError } from '../../base/errors.js';
import { readText, type WebAnswer } from './http-client.js';
import { BadRedirect, followRedirects, Unfetched, type HostPace, type PoliteFetch } from './polite-fetcher.js';
import type { WebLimits } from './web-limits.js';

/** RFC 9309 requires at least 500 KiB. */
const ROBOTS_BYTES = 512_000;

export interface RobotsRules {
  isAllowed(url: URL): Promise<boolean>;
  /** Crawl-delay in milliseconds. */
  pauseMs(url: URL): Promise<number | undefined>;
  sitemaps(url: URL): Promise<string[]>;
}

interface Rules {
  isAllowed(url: string, product: string): boolean | undefined;
  getCrawlDelay(product: string): number | undefined;
  getSitemaps(): string[];
}

// Its types are wrong: the import is the function.
const robotsParser = robotsParserModule as unknown as (url: string, text: string) => Rules;

/**
 * The robots.txt of each origin, read once. A missing one allows everything. A server error (5xx) forbids everything
 * (RFC 9309, 2.3.1): an OperatorError ends the run, because the site must not seem empty.
 */
export function createRobotsRules(
  fetch: PoliteFetch,
  product: string,
  hops: { origins: ReadonlySet<string>; maxHops: number },
): RobotsRules {
  const known = new Map<string, Promise<Rules>>();
  const of = ({ origin }: URL): Promise<Rules> => {
    const rules = known.get(origin) ?? read(origin);
    known.set(origin, rules);
    return rules;
  };
  const read = async (origin: string): Promise<Rules> => {
    const url = new URL('/robots.txt', origin);
    try {
      const { answer } = await followRedirects((hop) => fetch(hop, {}, Infinity), url, hops);
      if (answer.status >= 500) throw new Unfetched(`the server answers ${answer.status}`);
      const text = answer.status === 200 ? await readText(answer.body, ROBOTS_BYTES) : '';
      answer.body.destroy();
      return robotsParser(url.href, text);
    } catch (error) {
      if (!(error instanceof Unfetched)) throw error;
      if (error instanceof BadRedirect) return robotsParser(url.href, '');
      throw new OperatorError(`${url.href} cannot be read, so nothing may be fetched: ${error.message}.`);
    }
  };
  return {
    isAllowed: async (url) => (await of(url)).isAllowed(url.href, product) !== false,
    pauseMs: async (url) => {
      const seconds = (await of(url)).getCrawlDelay(product);
      return seconds === undefined || !Number.isFinite(seconds) ? undefined : seconds * 1000;
    },
    sitemaps: async (url) => (await of(url)).getSitemaps(),
  };
}

export interface AllowedFetch {
  fetch: PoliteFetch;
  robots: RobotsRules;
  pace: HostPace;
  limits: WebLimits;
}

export class Disallowed extends Unfetched {}

/** Requests a url within the rules and the crawl delay of its robots.txt. @throws Unfetched */
export async function fetchAllowed(
  url: URL,
  headers: Record<string, string>,
  bytes: number,
  { fetch, robots, pace, limits }: AllowedFetch,
): Promise<WebAnswer> {
  if (!(await robots.isAllowed(url))) throw new Disallowed('robots.txt disallows it');
  const pause = await robots.pauseMs(url);
  if (pause !== undefined) pace.slow(url.host, Math.min(pause, limits.maxWaitMs));
  return fetch(url, headers, bytes);
}
