/** What a server said of a page when it was last read, to ask whether it has changed. */
export interface Validators {
  etag?: string;
  lastModified?: string;
  /** The sitemap's word; where it has not changed, the page is not asked for. */
  lastmod?: string;
}

/** What an earlier run remembered; a page is looked up by its url. */
export interface KnownPages {
  get(url: string): Validators | undefined | Promise<Validators | undefined>;
  /** Called before the page is handed on. Keep it with the page, and not before the page is stored. */
  set(url: string, validators: Validators): void;
  /** All urls: a page that has not changed comes without its links, so a crawl goes on from these. */
  urls?(): Iterable<string> | AsyncIterable<string>;
}
