import { createHash } from 'node:crypto';
import { parseUrl } from '../../text/page-url.js';
import { plainLink } from './crawl-traps.js';
import type { LeftOut, SourcePage } from '../source.js';
import type { WebLimits } from './web-limits.js';

export interface Target {
  url: URL;
  /** The number of links from the start. */
  depth: number;
  lastmod?: string | undefined;
  /** The first page or sitemap that links to the url. */
  from?: string | undefined;
  /** Whether the page is read under its own url, since its canonical page does not exist. */
  isCanonical?: boolean;
}

interface FrontierDeps {
  limits: WebLimits;
  /** Returns the reason why the owner leaves a url out, also one that a sitemap names. */
  filter: (url: URL) => string | undefined;
  /** Returns the reason why a link is left out as a trap. */
  trap: (url: URL) => string | undefined;
  origins: ReadonlySet<string>;
  leftOut: LeftOut;
}

/** The urls still to be read, each once, and the texts that were read. Its size is bounded; more urls are counted. */
export class Frontier {
  /** Whether a bound was reached. */
  isCutOff = false;
  readonly #deps: FrontierDeps;
  readonly #seen = new Set<string>();
  readonly #emitted = new Set<string>();
  /** The first url of each text. */
  readonly #texts = new Map<string, string>();
  readonly #without = new Set<string>();
  /** The postponed pages with their canonical urls, by url; and, in `#waiting`, by canonical url. */
  readonly #canonical = new Map<string, { page: Target; other: string }>();
  readonly #waiting = new Map<string, Target[]>();
  #queue: Target[] = [];
  #at = 0;
  #taken = 0;

  constructor(deps: FrontierDeps) {
    this.#deps = deps;
  }

  get isEmpty(): boolean {
    return this.#at >= this.#queue.length;
  }

  /** Adds a url once. `isNamed`: the operator or a sitemap names the url, so it is not tested for traps. */
  add(link: string, { isNamed, ...target }: Omit<Target, 'url'> & { isNamed: boolean }): void {
    const url = isNamed ? parseUrl(link) : plainLink(link);
    if (url) url.hash = '';
    if (!url || this.#seen.has(url.href)) return;
    // Links to other sites are not counted.
    if (!this.#deps.origins.has(url.origin)) return;
    // Links that are left out are kept, too, so that each counts once.
    if (this.#seen.size >= 5 * this.#deps.limits.pages) {
      this.isCutOff = true;
      this.#leaveOut('too many links', { url, ...target });
      return;
    }
    this.#seen.add(url.href);
    const isFar = target.depth > this.#deps.limits.linkDepth;
    const reason =
      this.#deps.filter(url) ?? (isNamed ? undefined : isFar ? 'too many links away' : this.#deps.trap(url));
    if (reason !== undefined) {
      this.#leaveOut(reason, { url, ...target });
      this.#without.add(url.href);
    } else this.#queue.push({ url, ...target });
  }

  /** Postpones a page until its canonical url was read; false if that has no page, or waits for this page. */
  postpone(page: Target, canonical: string): boolean {
    const other = plainLink(canonical)?.href ?? canonical;
    this.add(canonical, { depth: page.depth + 1, isNamed: false, from: page.url.href });
    if (this.#without.has(other)) return false;
    for (let next = this.#canonical.get(other); next !== undefined; next = this.#canonical.get(next.other))
      if (next.other === page.url.href) return false;
    this.#canonical.set(page.url.href, { page, other });
    this.#waiting.set(other, [...(this.#waiting.get(other) ?? []), page]);
    return true;
  }

  /** Marks a url as without a page, and queues the pages that wait for it under their own urls. */
  markWithoutPage(url: string): void {
    this.#without.add(url);
    for (const page of this.#waiting.get(url) ?? []) {
      this.#canonical.delete(page.url.href);
      this.#queue.push({ ...page, isCanonical: true });
    }
    this.#waiting.delete(url);
  }

  /** Leaves the postponed pages out. */
  end(): void {
    for (const { page, other } of this.#canonical.values())
      this.#leaveOut('another url is canonical', page, { instead: other });
    this.#canonical.clear();
  }

  #leaveOut(reason: string, { url, from }: Target, more: { instead?: string } = {}): void {
    this.#deps.leftOut.add(reason, { where: url.href, ...(from === undefined ? {} : { linked_from: from }), ...more });
  }

  next(): Target | undefined {
    const target = this.#queue[this.#at];
    if (!target) return undefined;
    if (this.#taken >= this.#deps.limits.pages) {
      this.isCutOff = true;
      for (let rest = this.#queue[this.#at]; rest; rest = this.#queue[++this.#at])
        this.#leaveOut('over the limit of pages', rest);
      return undefined;
    }
    this.#taken++;
    this.#at++;
    if (this.#at === 10_000) {
      this.#queue = this.#queue.slice(this.#at);
      this.#at = 0;
    }
    return target;
  }

  /** Whether this page was not yielded before. */
  isFirst(url: string): boolean {
    if (this.#emitted.has(url)) return false;
    this.#emitted.add(url);
    this.#canonical.delete(url);
    return true;
  }

  /** Returns the first url with this {@link textKey}: servers answer for missing or private pages with one text. */
  firstWithText(key: string, url: string): string {
    const short = createHash('sha256').update(key).digest('base64');
    const first = this.#texts.get(short) ?? url;
    this.#texts.set(short, first);
    return first;
  }
}

/** Identifies a page's title, language and text; `src/sync/store/synced-pages.ts` makes the same of a stored page. */
export function textKey({ title, content, metadata }: SourcePage): string {
  const language = metadata?.['language'];
  const hash = createHash('sha256').update(content).digest('hex');
  return `${hash} ${typeof language === 'string' ? language : ''} ${title ?? ''}`;
}
