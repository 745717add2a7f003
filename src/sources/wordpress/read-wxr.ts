import { Parser } from 'htmlparser2';
import { OperatorError } from '../../base/errors.js';
import { parseUrl } from '../../text/page-url.js';
import { autoParagraphs } from './auto-paragraphs.js';
import { checkLevels, htmlText, UnreadableHtml } from '../html/html-text.js';
import { LeftOut, pageItem, type SourceItem } from '../source.js';

/** Max characters of an element. */
const MAX_TEXT = 8_000_000;
const MAX_VALUES = 1_000;

const KEPT = new Set([
  'title', 'link', 'content:encoded', 'excerpt:encoded', 'dc:creator', 'category', 'wp:post_id', 'wp:post_name',
  'wp:post_type', 'wp:status', 'wp:post_date', 'wp:post_password', 'wp:meta_key', 'wp:meta_value',
]); // prettier-ignore

/** The reasons by status why a post is left out. Other statuses (trash, auto-draft) are skipped without one. */
const UNPUBLISHED: Record<string, string> = {
  draft: 'draft',
  pending: 'draft',
  private: 'not published',
  future: 'dated in the future',
};

interface WxrItem {
  line: number;
  /** Text by element name. */
  texts: Map<string, string>;
  /** Terms by taxonomy. */
  categories: Map<string, string[]>;
  oldSlugs: string[];
}

/**
 * Reads the published pages and posts of a WordPress export (WXR) as a stream. Those with a password are left out.
 * Former slugs become redirects, as in WordPress.
 * @param base is the url below which all urls move: the export may come from a copy of the site
 * @throws OperatorError if the file is not an export, or ends early
 */
export async function* readWxr(
  chunks: AsyncIterable<string>,
  name: string,
  base: string | undefined,
  leftOut = new LeftOut(),
): AsyncGenerator<SourceItem> {
  const reader = new WxrReader();
  for await (const chunk of chunks)
    for (const item of reader.push(chunk)) {
      const where = `${name}:${item.line}`;
      yield* itemsOrRefusal(where, itemsOf(item, where, base, reader.siteUrl, leftOut));
    }
  if (!reader.isWxr) throw new OperatorError(`${name} is no WordPress export: it has no <wp:wxr_version>.`);
  if (!reader.isWhole) throw new OperatorError(`${name} ends early: its <rss> is not closed.`);
}

/** Yields the items of a post; a refusal if its HTML is unreadable. */
function* itemsOrRefusal(where: string, items: Iterable<SourceItem>): Generator<SourceItem> {
  try {
    yield* items;
  } catch (error) {
    if (!(error instanceof UnreadableHtml)) throw error;
    yield { kind: 'refused', where, reason: error.message };
  }
}

class WxrReader {
  readonly #parser: Parser;
  #items: WxrItem[] = [];
  #item: WxrItem | undefined;
  #element: { name: string; domain: string } | undefined;
  #text = '';
  #metaKey = '';
  #line = 1;
  #levels = 0;
  isWxr = false;
  isWhole = false;
  siteUrl: string | undefined;

  constructor() {
    this.#parser = new Parser(
      {
        onopentag: (name, attributes) => {
          checkLevels(this.#levels++);
          this.#open(name, attributes['domain'] ?? '');
        },
        ontext: (text) => {
          if (this.#element && this.#text.length < MAX_TEXT) this.#text += text;
        },
        onclosetag: (name, isImplied) => {
          this.#levels--;
          if (name === 'rss' && !isImplied) this.isWhole = true;
          this.#close(name);
        },
      },
      { xmlMode: true, decodeEntities: true },
    );
  }

  push(chunk: string): WxrItem[] {
    // The chunk is written line by line, so that #line is the line where an item begins.
    for (const line of chunk.split(/(?<=\n)/)) {
      this.#write(line);
      if (line.endsWith('\n')) this.#line++;
    }
    const items = this.#items;
    this.#items = [];
    return items;
  }

  #write(line: string): void {
    try {
      this.#parser.write(line);
    } catch (error) {
      if (!(error instanceof UnreadableHtml)) throw error;
      throw new OperatorError(`Line ${this.#line}: ${error.message}.`);
    }
  }

  #open(name: string, domain: string): void {
    if (name === 'item') this.#item = { line: this.#line, texts: new Map(), categories: new Map(), oldSlugs: [] };
    if (name === 'wp:wxr_version') this.isWxr = true;
    if (this.#item ? KEPT.has(name) : name === 'wp:base_blog_url') {
      this.#element = { name, domain };
      this.#text = '';
    }
  }

  #close(name: string): void {
    const item = this.#item;
    if (name === 'item' && item) {
      this.#items.push(item);
      this.#item = undefined;
    }
    if (this.#element?.name !== name) return;
    const { domain } = this.#element;
    const text = this.#text;
    this.#element = undefined;
    this.#text = '';
    if (!item) this.siteUrl = text.trim();
    else if (name === 'category') addValue(item.categories, domain, text.trim());
    else if (name === 'wp:meta_key') this.#metaKey = text.trim();
    else if (name === 'wp:meta_value') {
      if (this.#metaKey === '_wp_old_slug' && item.oldSlugs.length < MAX_VALUES) item.oldSlugs.push(text.trim());
    } else if (!item.texts.has(name)) item.texts.set(name, text);
  }
}

function addValue(values: Map<string, string[]>, name: string, value: string): void {
  const all = values.get(name) ?? [];
  if (value !== '' && all.length < MAX_VALUES) values.set(name, [...all, value]);
}

function* itemsOf(
  item: WxrItem,
  where: string,
  base: string | undefined,
  site: string | undefined,
  leftOut: LeftOut,
): Generator<SourceItem> {
  const text = (name: string): string => (item.texts.get(name) ?? '').trim();
  if (!['page', 'post'].includes(text('wp:post_type'))) return;
  const hidden =
    text('wp:status') === 'publish'
      ? text('wp:post_password') !== '' && 'it has a password'
      : (UNPUBLISHED[text('wp:status')] ?? true);
  if (hidden !== false) {
    if (hidden !== true) leftOut.add(hidden, { where });
    return;
  }
  const url = urlOf(text('link'), base, site);
  if (url === undefined) {
    yield { kind: 'refused', where, reason: `link must be a full url, not ${JSON.stringify(text('link'))}` };
    return;
  }
  const title = htmlText(text('title'));
  const content = htmlText(autoParagraphs(withoutShortcodes(item.texts.get('content:encoded') ?? '')));
  const page = pageItem(where, { url, title, content, metadata: metadataOf(item, text) });
  yield page ?? { kind: 'refused', where: url, reason: `${where} has neither title nor content` };
  for (const slug of page ? item.oldSlugs : []) {
    const end = url.endsWith('/') ? '/' : '';
    const old = `${url.slice(0, url.lastIndexOf('/', url.length - 1 - end.length) + 1)}${encodeURI(slug)}${end}`;
    if (slug !== '' && !url.includes('?')) yield { kind: 'redirect', from: old, to: url, where };
  }
}

function urlOf(link: string, base: string | undefined, site: string | undefined): string | undefined {
  const url = parseUrl(link);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  if (base === undefined) return url.href;
  const root = (parseUrl(site ?? '')?.pathname ?? '/').replace(/\/?$/, '/');
  const path = url.pathname.startsWith(root) ? url.pathname.slice(root.length) : url.pathname.slice(1);
  return new URL(path + url.search, base).href;
}

function metadataOf(item: WxrItem, text: (name: string) => string): Record<string, unknown> {
  const { categories } = item;
  const metadata: Record<string, unknown> = { type: text('wp:post_type') };
  if (text('wp:post_date') !== '') metadata['date'] = text('wp:post_date');
  if (text('dc:creator') !== '') metadata['author'] = text('dc:creator');
  const named = { categories: categories.get('category'), tags: categories.get('post_tag') };
  for (const [name, values] of Object.entries(named)) if (values) metadata[name] = values;
  return metadata;
}

/** Removes shortcodes such as `[gallery ids="1,2"]`, but keeps the content of `[caption]…[/caption]`. */
function withoutShortcodes(html: string): string {
  return html.replace(/\[\/?[a-z][\w-]{1,60}(?:\s[^\][<>]{0,2000})?\/?\]/g, '');
}
