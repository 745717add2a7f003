import robotsParserModule from 'robots-parser';
import { OperatorError } from '../../base/errors.js';
import { readBytes } from './http-client.js';
import { BadRedirect, Unfetched, type Fetcher } from './polite-fetcher.js';

/** The bytes of robots.txt that are read; RFC 9309 requires at least 500 KiB. */
const ROBOTS_BYTES = 512_000;

interface Rules {
  isAllowed(url: string, product: string): boolean | undefined;
  getCrawlDelay(product: string): number | undefined;
  getSitemaps(): string[];
}

// The types of the package are wrong: its import is the function.
const robotsParser = robotsParserModule as unknown as (url: string, text: string) => Rules;

export class Disallowed extends Unfetched {}

export type RobotsRules = ReturnType<typeof createRobotsRules>;

/**
 * Applies the robots.txt of each origin, which is read once. A missing one allows everything. A server error (5xx)
 * forbids everything (RFC 9309, 2.3.1): an OperatorError ends the run, because the site must not seem empty.
 */
export function createRobotsRules(fetcher: Fetcher, product: string) {
  const known = new Map<string, Promise<Rules>>();
  const rulesOf = ({ origin }: URL): Promise<Rules> => {
    const rules = known.get(origin) ?? read(origin);
    known.set(origin, rules);
    return rules;
  };
  const read = async (origin: string): Promise<Rules> => {
    const url = new URL('/robots.txt', origin);
    try {
      const { answer } = await fetcher.follow(url, { bytes: Infinity });
      if (answer.status >= 500) throw new Unfetched(`the server answers ${answer.status}`);
      const text = answer.status === 200 ? new TextDecoder().decode(await readBytes(answer.body, ROBOTS_BYTES)) : '';
      answer.body.destroy();
      return robotsParser(url.href, text);
    } catch (error) {
      if (!(error instanceof Unfetched)) throw error;
      if (error instanceof BadRedirect) return robotsParser(url.href, '');
      throw new OperatorError(`${url.href} cannot be read, so nothing may be fetched: ${error.message}.`);
    }
  };
  return {
    sitemaps: async (url: URL): Promise<string[]> => (await rulesOf(url)).getSitemaps(),
    /** Applies the crawl delay of a url's host. @throws Disallowed */
    check: async (url: URL): Promise<void> => {
      const rules = await rulesOf(url);
      if (rules.isAllowed(url.href, product) === false) throw new Disallowed('robots.txt disallows it');
      const seconds = rules.getCrawlDelay(product);
      if (seconds !== undefined && Number.isFinite(seconds)) fetcher.slow(url.host, seconds * 1000);
    },
  };
}
