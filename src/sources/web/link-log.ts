import { hash } from 'node:crypto';
import { plainLink } from './crawl-traps.js';

/** A link of the site that led to no page. */
export interface BrokenLink {
  url: string;
  /** The status of the answer; null: no answer, or a circle of redirects. */
  status: number | null;
  /** The answer in words. */
  answer: string;
  /** The first pages with this link. */
  pages: string[];
  /** Number of pages with this link. */
  pageCount: number;
}

const MAX_BROKEN_LINKS = 10_000;
/** Pages listed per link. */
const MAX_PAGES = 20;
/** Bound on all listed page urls; further pages are only counted. */
const MAX_CHARACTERS = 20_000_000;
/** Links per page, and distinct links of a site: twice as many as a crawl reads. */
const MAX_OF_PAGE = 1_000;
const MAX_LINKS = 200_000;
const KEY_BYTES = 8;

/** Collects the links of each page, and the broken ones, during a crawl. Its memory is bounded. */
export class LinkLog {
  readonly #pages = new Map<string, number>();
  readonly #links = new Map<string, { pages: number[]; count: number }>();
  readonly #broken = new Map<string, Pick<BrokenLink, 'status' | 'answer'>>();
  #mapUrl = (url: string): string => url;

  /** Sets the map from urls of a copy of a site to those of the site. Call it before the first page. */
  mapUrls(mapUrl: (url: string) => string): void {
    this.#mapUrl = mapUrl;
  }

  /** Adds the links of a page. @returns them encoded for {@link addKnown} */
  add(page: string, links: readonly string[], origins: ReadonlySet<string>): Buffer {
    const keys = new Set<string>();
    for (const link of links) {
      const url = plainLink(link);
      if (url && origins.has(url.origin) && url.href !== page) keys.add(keyOf(this.#mapUrl(url.href)));
      if (keys.size === MAX_OF_PAGE) break;
    }
    const known = Buffer.from([...keys].join(''), 'latin1');
    this.addKnown(page, known);
    return known;
  }

  /** Adds the encoded links of an unchanged page. */
  addKnown(page: string, links: Buffer): void {
    if (this.#pages.has(page)) return;
    const number = this.#pages.size;
    this.#pages.set(page, number);
    for (let at = 0; at < links.length; at += KEY_BYTES) {
      const key = links.toString('latin1', at, at + KEY_BYTES);
      const link = this.#links.get(key) ?? { pages: [], count: 0 };
      if (link.count === 0 && this.#links.size < MAX_LINKS) this.#links.set(key, link);
      if (link.count++ < MAX_PAGES) link.pages.push(number);
    }
  }

  addBroken(url: string, status: number | null, answer: string): void {
    this.#broken.set(url, { status, answer });
  }

  /** The broken links, most linked first. */
  list(): BrokenLink[] {
    const pages = [...this.#pages.keys()];
    const all = [...this.#broken].flatMap(([crawled, answer]) => {
      const url = this.#mapUrl(crawled);
      const link = this.#links.get(keyOf(url));
      return link ? [{ url, ...answer, ...link }] : [];
    });
    all.sort((a, b) => b.count - a.count || (a.url < b.url ? -1 : 1));
    let left = MAX_CHARACTERS;
    return all.slice(0, MAX_BROKEN_LINKS).map(({ count, pages: numbers, ...link }) => {
      const urls = numbers.map((number) => this.#mapUrl(pages[number] ?? ''));
      return { ...link, pages: urls.filter((page) => (left -= page.length) >= 0), pageCount: count };
    });
  }
}

function keyOf(url: string): string {
  return hash('sha256', url, 'buffer').toString('latin1', 0, KEY_BYTES);
}
