import type { RuleTerms } from '../rule-formats/read/read-rule.js';

/** An unchecked page of a source: the sync checks it as an upsert does. `content` may contain the title. */
export interface SourcePage {
  url: string;
  /** The title; absent: the stored title stays; null: no title. */
  title?: string | null;
  content: string;
  /** The metadata; absent: the stored metadata stay; empty: no metadata. */
  metadata?: Record<string, unknown>;
}

export type SourceItem =
  /** `where`: file and line, or url. */
  | { kind: 'page'; page: SourcePage; where: string }
  /** The page has not changed since the last sync (304). */
  | { kind: 'unchanged'; url: string; where: string }
  /** A redirect from a refresh page or a redirect file. `isPattern`: `from` has a wildcard or placeholders. */
  | { kind: 'redirect'; from: string; to: string; where: string; isPattern?: true; terms?: RuleTerms }
  /** A path that a redirect file marks gone (410). It may be a wildcard or pattern. */
  | { kind: 'gone'; path: string; where: string; terms?: RuleTerms }
  /** `where` is the page's url, if known: the page exists, and is not gone. `isRule`: the item is not a page.
   * `linked_from`: the page or sitemap that links to it. */
  | { kind: 'refused'; where: string; reason: string; isRule?: true; linked_from?: string };

/** Makes the item of a page: its title takes the place of missing content. Undefined if it has neither. */
export function pageItem(where: string, { title, content, ...page }: SourcePage): SourceItem | undefined {
  const text = content === '' ? (title ?? '') : content;
  if (text === '') return undefined;
  return { kind: 'page', where, page: { ...page, title: title === '' ? null : title, content: text } };
}

/** The items of a site, read once. Throws if the site cannot be read completely. */
export type Source = AsyncIterable<SourceItem>;

/** The max items that are kept per reason; the others are only counted. */
const MAX_LISTED = 20;
/** The max reasons: a reason may name its page, so that each page would have its own. */
const MAX_REASONS = 200;

/** An item without a page, such as one with `noindex`. */
export interface LeftOutPlace {
  /** A url or a file. */
  where: string;
  /** The page or sitemap that links to the url. */
  linked_from?: string | undefined;
  /** The canonical page, if the url is a copy of it. */
  instead?: string;
}

/** Counts items without a page that are not refused, by reason; keeps the first {@link MAX_LISTED} of each. */
export class LeftOut {
  readonly #reasons = new Map<string, { count: number; first: LeftOutPlace[] }>();

  add(reason: string, place: LeftOutPlace): void {
    const places = this.#reasons.get(reason) ?? { count: 0, first: [] };
    if (places.count++ < MAX_LISTED) places.first.push(place);
    if (places.count > 1 || this.#reasons.size < MAX_REASONS) this.#reasons.set(reason, places);
  }

  counts(): Record<string, number> {
    return Object.fromEntries([...this.#reasons].map(([reason, { count }]) => [reason, count]));
  }

  list(): { reason: string; count: number; first: LeftOutPlace[] }[] {
    return [...this.#reasons].map(([reason, of]) => ({ reason, ...of }));
  }

  /** Formats a line per reason, followed by its items. @param what plural noun, such as `urls` */
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

/** Values of a page's last response, for conditional requests. */
export interface Validators {
  etag?: string | null | undefined;
  lastModified?: string | null | undefined;
  /** The `lastmod` of the sitemap; the page is not requested while it stays the same, and is older than `readAt`. */
  lastmod?: string | null | undefined;
  readAt?: Date | undefined;
  /** The page's {@link textKey}. */
  text?: string | undefined;
  /** Links of a crawled page, as LinkLog encodes them. */
  links?: Uint8Array | null | undefined;
}

/** Validators of earlier runs, by page url. */
export interface KnownPages {
  get(url: string): Validators | undefined | Promise<Validators | undefined>;
  /** Called before the page is yielded. Store the validators only after the page. */
  set(url: string, validators: Validators): void;
  /** All urls of the site: unchanged pages have no links to follow, so a crawl continues from these. */
  urls?(): Iterable<string> | AsyncIterable<string>;
}

export const FILE_FORMATS = ['jsonl', 'csv', 'wxr'] as const;
/** The only format of a folder. */
export const FOLDER_FORMAT = 'html';
export type SourceFormat = (typeof FILE_FORMATS)[number] | typeof FOLDER_FORMAT;
export const SOURCE_FORMATS: readonly SourceFormat[] = [...FILE_FORMATS, FOLDER_FORMAT];

export function isWeb(source: string): boolean {
  return /^https?:\/\//i.test(source);
}

/** An old url of a relaunched site. */
export interface OldUrl {
  line: number;
  /** A path or a full url, as given. */
  old: string;
  /** The title; empty if unknown, like `content`. */
  title: string;
  content: string;
  /** Number of requests; undefined if unknown. */
  hits: number | undefined;
}

export interface NoOldUrl {
  line: number;
  reason: string;
}
