import { parseUrl } from '../../text/parse-url.js';
import { plainLink } from './crawl-traps.js';
import type { WebLimits } from './web-limits.js';

export interface Target {
  url: URL;
  /** Links from the start. */
  depth: number;
  lastmod?: string;
  /** The page that named it as canonical. */
  namedBy?: URL;
  /** What it names as canonical is not there: it is read under its own url. */
  isCanonical?: boolean;
}

/** The urls that are still to be read, each once. Its size is bounded; what does not fit is counted. */
export class Frontier {
  /** A bound has kept urls out. */
  isCutOff = false;
  readonly #limits: WebLimits;
  readonly #trap: (url: URL) => string | undefined;
  readonly #origins: ReadonlySet<string>;
  readonly #leaveOut: (reason: string) => void;
  readonly #seen = new Set<string>();
  readonly #emitted = new Set<string>();
  #queue: Target[] = [];
  #at = 0;
  #taken = 0;

  constructor(
    limits: WebLimits,
    trap: (url: URL) => string | undefined,
    origins: ReadonlySet<string>,
    leaveOut: (reason: string) => void,
  ) {
    this.#limits = limits;
    this.#trap = trap;
    this.#origins = origins;
    this.#leaveOut = leaveOut;
  }

  get isEmpty(): boolean {
    return this.#at >= this.#queue.length;
  }

  /** Named urls (by the operator or a sitemap) are taken as they are; links are looked at for traps. */
  add(
    link: string,
    { isNamed, ...target }: { depth: number; isNamed: boolean; lastmod?: string; namedBy?: URL },
  ): void {
    const url = isNamed ? parseUrl(link) : plainLink(link);
    if (url) url.hash = '';
    if (!url || this.#seen.has(url.href)) return;
    // Other sites are no part of the source, and not worth a count.
    if (!this.#origins.has(url.origin)) return;
    // Links that were left out are remembered, too, so that each counts once: up to a bound.
    if (this.#seen.size >= 5 * this.#limits.pages) {
      this.isCutOff = true;
      this.#leaveOut('too many links');
      return;
    }
    this.#seen.add(url.href);
    const trap = isNamed ? undefined : target.depth > this.#limits.linkDepth ? 'too many links away' : this.#trap(url);
    if (trap !== undefined) this.#leaveOut(trap);
    else this.#queue.push({ url, ...target });
  }

  /** Once more, whatever it names as canonical. */
  addAgain(url: URL, depth: number): void {
    this.#queue.push({ url, depth, isCanonical: true });
  }

  next(): Target | undefined {
    const target = this.#queue[this.#at];
    if (!target) return undefined;
    if (this.#taken >= this.#limits.pages) {
      this.isCutOff = true;
      for (; !this.isEmpty; this.#at++) this.#leaveOut('over the limit of pages');
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

  /** Whether this page has not been handed on before. */
  isFirst(url: string): boolean {
    if (this.#emitted.has(url)) return false;
    this.#emitted.add(url);
    return true;
  }
}
