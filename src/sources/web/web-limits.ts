/** Bounds on requests, and on a crawl of a hostile site. */
export const WEB_LIMITS = {
  /** Per host. A longer Crawl-delay of robots.txt is obeyed, up to maxWaitMs. */
  requestsPerSecond: 5,
  /** Bound on Retry-After and Crawl-delay. */
  maxWaitMs: 60_000,
  /** Attempts per request; the pause before the second, which doubles with each further one. */
  tries: 4,
  backoffMs: 1_000,
  /** Deadlines of the headers and of the complete answer. */
  headersMs: 20_000,
  totalMs: 60_000,
  redirects: 5,
  /** Both packed and unpacked. */
  pageBytes: 10_000_000,
  sitemapBytes: 100_000_000,
  sitemaps: 1_000,
  /** Levels of sitemap indexes. */
  sitemapDepth: 3,
  /** Urls requested. */
  pages: 100_000,
  /** Links from the start page. */
  linkDepth: 30,
  pathCharacters: 500,
  pathSegments: 20,
  /** Query strings per path. */
  queryVariants: 50,
  /** Urls that differ only in numbers: days of a calendar, pages of a list. */
  numberVariants: 1_000,
  /** Consecutive failed requests that end the run. */
  failuresInARow: 20,
};

export type WebLimits = typeof WEB_LIMITS;
