/** Bounds on requests, and on a crawl of a hostile site. */
export const WEB_LIMITS = {
  /** The requests per second to a host. A longer Crawl-delay of robots.txt is obeyed, up to maxWaitMs. */
  requestsPerSecond: 5,
  /** The bound on Retry-After and Crawl-delay. */
  maxWaitMs: 60_000,
  /** The attempts per request, and the pause before the second attempt, which doubles with each further one. */
  tries: 4,
  backoffMs: 1_000,
  /** Deadlines of the headers and of the complete answer. */
  headersMs: 20_000,
  totalMs: 60_000,
  redirects: 5,
  /** The max bytes of a page, and of a sitemap, both packed and unpacked. */
  pageBytes: 10_000_000,
  sitemapBytes: 100_000_000,
  sitemaps: 1_000,
  sitemapDepth: 3,
  /** The max urls that are requested. */
  pages: 100_000,
  /** The max links from the start page. */
  linkDepth: 30,
  pathCharacters: 500,
  pathSegments: 20,
  /** The max query strings per path. */
  queryVariants: 50,
  /** The max urls that differ only in numbers: days of a calendar, pages of a list. */
  numberVariants: 1_000,
  /** The number of consecutive failed requests that ends the run. */
  failuresInARow: 20,
};

export type WebLimits = typeof WEB_LIMITS;
