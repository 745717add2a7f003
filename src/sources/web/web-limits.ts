/** Bounds on requests, and on a crawl of a hostile site. */
export interface WebLimits {
  /** Per host. A longer Crawl-delay of robots.txt is obeyed, up to maxWaitMs. */
  requestsPerSecond: number;
  /** Bound on Retry-After and Crawl-delay. */
  maxWaitMs: number;
  /** Attempts per request; the pause before the second, which doubles with each further one. */
  tries: number;
  backoffMs: number;
  /** Deadlines of the headers and of the complete answer. */
  headersMs: number;
  totalMs: number;
  redirects: number;
  /** Both packed and unpacked. */
  pageBytes: number;
  sitemapBytes: number;
  sitemaps: number;
  /** Levels of sitemap indexes. */
  sitemapDepth: number;
  /** Urls requested. */
  pages: number;
  /** Links from the start page. */
  linkDepth: number;
  pathCharacters: number;
  pathSegments: number;
  /** Query strings per path. */
  queryVariants: number;
  /** Urls that differ only in numbers: days of a calendar, pages of a list. */
  numberVariants: number;
  /** Consecutive failed requests that end the run. */
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
