/** Bounds on what is fetched, and on what a site can make a crawl do. */
export interface WebLimits {
  /** To one host. A longer Crawl-delay of robots.txt, up to maxWaitMs, is obeyed. */
  requestsPerSecond: number;
  /** Longest wait that a server may ask for (Retry-After, Crawl-delay). */
  maxWaitMs: number;
  /** Tries of one request; the pause before the second, doubled before each other one. */
  tries: number;
  backoffMs: number;
  /** Until the headers are there, and until everything is there. */
  headersMs: number;
  totalMs: number;
  redirects: number;
  /** As sent and as unpacked. */
  pageBytes: number;
  sitemapBytes: number;
  sitemaps: number;
  /** How deep an index of sitemaps may lead to other indexes. */
  sitemapDepth: number;
  /** Fetched, whatever they turn out to be. */
  pages: number;
  /** Links from the start page. */
  linkDepth: number;
  pathCharacters: number;
  pathSegments: number;
  /** Urls of one path that differ in their query string. */
  queryVariants: number;
  /** Urls that differ in numbers only: days of a calendar, pages of a list. */
  numberVariants: number;
  /** Requests that fail one after another before the run ends. */
  failuresInARow: number;
}

export const WEB_LIMITS: WebLimits = {
  requestsPerSecond: 5,
  maxWaitMs: 60_000,
  tries: 4,
  backoffMs: 1_000,
  headersMs: 20_000,
  totalMs: 60_000,
  redirects: 5,
  pageBytes: 10_000_000,
  sitemapBytes: 100_000_000,
  sitemaps: 1_000,
  sitemapDepth: 3,
  pages: 100_000,
  linkDepth: 30,
  pathCharacters: 500,
  pathSegments: 20,
  queryVariants: 50,
  numberVariants: 1_000,
  failuresInARow: 20,
};
