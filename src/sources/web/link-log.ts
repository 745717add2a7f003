import { hash } from 'node:crypto';
import { plainLink } from './crawl-traps.js';

/** A link of the site that led to no page when it was last asked for. */
export interface BrokenLink {
  url: string;
  /** Null: there was no answer, or none that ends. */
  status: number | null;
  /** In words. */
  answer: string;
  /** Some of the pages that have it. */
  pages: string[];
  /** How many have it. */
  pageCount: number;
}

export const MAX_BROKEN_LINKS = 10_000;
/** Named for each link. */
const MAX_PAGES = 20;
/** Of all the pages that are named: those beyond are counted alone. */
const MAX_CHARACTERS = 20_000_000;
/** Links of one page, and distinct ones of a site: twice as many as a crawl reads. */
const MAX_OF_PAGE = 1_000;
const MAX_LINKS = 200_000;
const KEY_BYTES = 8;

/** Which pages have which links, and which links are broken: what a crawl met. Bounded, whatever the site has. */
export class LinkLog {
  readonly #pages = new Map<string, number>();
  readonly #links = new Map<string, { pages: number[]; count: number }>();
  readonly #broken = new Map<string, Pick<BrokenLink, 'status' | 'answer'>>();
  #nameOf = (url: string): string => url;

  /** Where the site that is read is a copy of another: as which its urls are told. Before the first page. */
  tellAs(nameOf: (url: string) => string): void {
    this.#nameOf = nameOf;
  }

  /** A page that was read. Returns its links as {@link addKnown} takes them when the page has not changed. */
  add(page: string, links: readonly string[], origins: ReadonlySet<string>): Buffer {
    const keys = new Set<string>();
    for (const link of links) {
      const url = plainLink(link);
      if (url && origins.has(url.origin) && url.href !== page) keys.add(keyOf(this.#nameOf(url.href)));
      if (keys.size === MAX_OF_PAGE) break;
    }
    const known = Buffer.from([...keys].join(''), 'latin1');
    this.addKnown(page, known);
    return known;
  }

  addKnown(page: string, links: Buffer): void {
    if (this.#pages.has(page)) return;
    const number = this.#pages.size;
    this.#pages.set(page, number);
    for (let at = 0; at < links.length; at += KEY_BYTES) {
      const key = links.toString('latin1', at, at + KEY_BYTES);
      const of = this.#links.get(key) ?? { pages: [], count: 0 };
      if (of.count === 0 && this.#links.size < MAX_LINKS) this.#links.set(key, of);
      if (of.count++ < MAX_PAGES) of.pages.push(number);
    }
  }

  /** What was asked for gave no page. */
  failed(url: string, status: number | null, answer: string): void {
    this.#broken.set(url, { status, answer });
  }

  /** Those that most pages have first. */
  list(): BrokenLink[] {
    const pages = [...this.#pages.keys()];
    const all = [...this.#broken].flatMap(([asked, said]) => {
      const url = this.#nameOf(asked);
      const of = this.#links.get(keyOf(url));
      return of ? [{ url, ...said, ...of }] : [];
    });
    all.sort((a, b) => b.count - a.count || (a.url < b.url ? -1 : 1));
    let left = MAX_CHARACTERS;
    return all.slice(0, MAX_BROKEN_LINKS).map(({ count, pages: numbers, ...link }) => {
      const named = numbers.map((number) => this.#nameOf(pages[number] ?? ''));
      return { ...link, pages: named.filter((page) => (left -= page.length) >= 0), pageCount: count };
    });
  }
}

function keyOf(url: string): string {
  return hash('sha256', url, 'buffer').toString('latin1', 0, KEY_BYTES);
}
