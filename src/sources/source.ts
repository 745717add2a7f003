import type { RuleTerms } from '../rule-formats/read/read-rule.js';

/** A page as a source has it, unchecked: the sync holds it to the rules of an upsert. The title may be in `content`. */
export interface SourcePage {
  url: string;
  /** Absent: what is stored stays; null: none. */
  title?: string | null;
  content: string;
  /** Absent: what is stored stays; empty: none. */
  metadata?: Record<string, unknown>;
}

export type SourceItem =
  /** `where`: file and line, or url. */
  | { kind: 'page'; page: SourcePage; where: string }
  /** The site's server said that it has not changed (304). */
  | { kind: 'unchanged'; url: string; where: string }
  /** From aliases, `redirect_from` and redirect files. `isPattern`: a star in it stands for the rest of a path. */
  | { kind: 'redirect'; from: string; to: string; where: string; isPattern?: true; terms?: RuleTerms }
  /** Of redirect files: nothing took its place. */
  | { kind: 'gone'; path: string; where: string; terms?: RuleTerms }
  /** `where` is the page's url, if it is known: that page is there, and is not gone. `isRule`: it was no page.
   * `linked_from`: the page or sitemap that names it. */
  | { kind: 'refused'; where: string; reason: string; isRule?: true; linked_from?: string };

/** What a site has, read once from begin to end. Throws when it cannot be read to its end. */
export type Source = AsyncIterable<SourceItem>;

/** Named for each reason; the others are counted. */
const MAX_NAMED = 20;

/** What a source has and gives no page of, such as a draft. */
export interface LeftOutPlace {
  /** A url, or a file. */
  where: string;
  /** The page or sitemap that names the url. */
  linked_from?: string;
  /** The page that stands in for it. */
  instead?: string;
}

/** What a source leaves out and does not refuse: by reason how many, and the first of them by name. */
export class LeftOut {
  readonly #reasons = new Map<string, { count: number; first: LeftOutPlace[] }>();

  add(reason: string, place: LeftOutPlace): void {
    const of = this.#reasons.get(reason) ?? { count: 0, first: [] };
    if (of.count++ < MAX_NAMED) of.first.push(place);
    this.#reasons.set(reason, of);
  }

  counts(): Record<string, number> {
    return Object.fromEntries([...this.#reasons].map(([reason, { count }]) => [reason, count]));
  }

  list(): { reason: string; count: number; first: LeftOutPlace[] }[] {
    return [...this.#reasons].map(([reason, of]) => ({ reason, ...of }));
  }

  /** For people: a line for each reason, then those that are named. @param what such as `urls` */
  lines(what: string): string[] {
    return this.list().flatMap(({ reason, count, first }) => [
      `${count} ${count === 1 ? what.replace(/s$/, '') : what} left out: ${reason}`,
      ...first.map(({ where, linked_from: from, instead }) => {
        const more = [instead && `${instead} instead`, from && `linked from ${from}`].filter(Boolean).join('; ');
        return `  ${where}${more === '' ? '' : ` (${more})`}`;
      }),
      ...(count > first.length ? [`  and ${count - first.length} more`] : []),
    ]);
  }
}

/** What a server said of a page when it was last read, to ask whether it has changed. */
export interface Validators {
  etag?: string;
  lastModified?: string;
  /** The sitemap's word; where it has not changed, the page is not asked for. */
  lastmod?: string;
  /** Those of a page that was crawled, as the log of links has them. */
  links?: Uint8Array;
}

/** What an earlier run remembered; a page is looked up by its url. */
export interface KnownPages {
  get(url: string): Validators | undefined | Promise<Validators | undefined>;
  /** Called before the page is handed on. Keep it with the page, and not before the page is stored. */
  set(url: string, validators: Validators): void;
  /** All urls: a page that has not changed comes without its links, so a crawl goes on from these. */
  urls?(): Iterable<string> | AsyncIterable<string>;
}

export const SITE_FORMATS = [
  'markdown',
  'html',
  'hugo',
  'jekyll',
  'docusaurus',
  'mkdocs',
  'eleventy',
  'sphinx',
  'sphinx-dirhtml',
] as const;
/** How a folder's files become pages. `sphinx` is its builder html, `/a.html`; `sphinx-dirhtml` the other, `/a/`. */
export type SiteFormat = (typeof SITE_FORMATS)[number];
export const FILE_FORMATS = ['jsonl', 'csv', 'wxr'] as const;
/** What a site may be besides HTML. */
export const WEB_FORMAT = 'wordpress';
export type SourceFormat = (typeof FILE_FORMATS)[number] | typeof WEB_FORMAT | SiteFormat;
export const SOURCE_FORMATS: readonly SourceFormat[] = [...FILE_FORMATS, WEB_FORMAT, ...SITE_FORMATS];

/** Whether a source is a url. */
export function isWeb(source: string): boolean {
  return /^https?:\/\//i.test(source);
}

/** An old url of a site that moved, with what is known of it. */
export interface OldUrl {
  line: number;
  /** As it was given: a path or a full url. */
  old: string;
  title: string;
  content: string;
  /** How often it was asked for; undefined if nothing says it. */
  hits: number | undefined;
}

/** A line that names no old url, and why. */
export interface NoOldUrl {
  line: number;
  reason: string;
}
