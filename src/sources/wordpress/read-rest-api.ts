import { OperatorError } from '../../base/errors.js';
import { parseUrl } from '../../text/page-url.js';
import { pageItem, type SourceItem } from '../source.js';
import { htmlText, itemsOrRefusal } from '../text/html-text.js';
import { readBytes } from '../web/http-client.js';
import { Unfetched } from '../web/polite-fetcher.js';
import type { PageReaderDeps } from '../web/read-page.js';

const TYPES = ['pages', 'posts'] as const;
/** Rows per request of a list, at WordPress's maximum. */
const LISTED = 100;
/** Rows per request with content. */
const READ = 20;

/** Requests a route below `wp/v2/`, such as `posts`. @throws Unfetched */
type RequestRows = (
  route: string,
  query: Record<string, string>,
) => Promise<{ rows: Row[]; total: number; pages: number }>;
type Row = Record<string, unknown>;

/**
 * Published pages and posts of a WordPress, by its REST API: first lists all with their modification times, then reads
 * the changed ones. Those with a password are left out.
 * @throws OperatorError if the site has no public REST API
 */
export async function* readRestApi(start: URL, deps: PageReaderDeps): AsyncGenerator<SourceItem> {
  const root = new URL(start);
  root.search = root.hash = '';
  if (!root.pathname.endsWith('/')) root.pathname += '/';
  const request = await findApi(root, deps);
  for (const type of TYPES) yield* readType(type, request, root, deps);
}

/** Tries `/wp-json/`, then the parameter `rest_route`, which sites with plain permalinks (`?p=12`) use. */
async function findApi(root: URL, deps: PageReaderDeps): Promise<RequestRows> {
  const byPath = (route: string): URL => new URL(`wp-json/wp/v2/${route}`, root);
  const byParameter = (route: string): URL => new URL(`?rest_route=/wp/v2/${route}`, root);
  const reasons: string[] = [];
  for (const urlOf of [byPath, byParameter]) {
    const request: RequestRows = (route, query) => requestRows(urlOf(route), query, deps);
    try {
      await request('pages', { per_page: '1', _fields: 'id' });
      return request;
    } catch (error) {
      if (!(error instanceof Unfetched)) throw error;
      reasons.push(`${urlOf('pages').href}: ${error.message}`);
    }
  }
  throw new OperatorError(`${root.href} shows no REST API of WordPress (${reasons.join('; ')}).`);
}

async function requestRows(
  url: URL,
  query: Record<string, string>,
  { fetcher, robots }: PageReaderDeps,
): ReturnType<RequestRows> {
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const bytes = READ * fetcher.limits.pageBytes;
  const headers = { accept: 'application/json' };
  const { answer } = await fetcher.follow(url, { headers, bytes, check: robots.check });
  try {
    if (answer.status !== 200) throw new Unfetched(`the server answers ${answer.status}`);
    const text = (await readBytes(answer.body)).toString();
    const rows: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    if (!Array.isArray(rows) || !rows.every((row) => typeof row === 'object' && row !== null))
      throw new Unfetched('it is not a list');
    const count = (name: string): number => Number(answer.headers[name] ?? NaN);
    return { rows: rows as Row[], total: count('x-wp-total'), pages: count('x-wp-totalpages') };
  } catch (error) {
    if (error instanceof Unfetched) throw error;
    throw new Unfetched(error instanceof SyntaxError ? 'it is not JSON' : String(error), { cause: error });
  } finally {
    answer.body.destroy();
  }
}

async function* readType(
  type: string,
  request: RequestRows,
  root: URL,
  deps: PageReaderDeps,
): AsyncGenerator<SourceItem> {
  const { fetcher, frontier, known, signal } = deps;
  let changed: string[] = [];
  let seen = 0;
  // By id, so that rows published meanwhile come last.
  const listing = { per_page: String(LISTED), orderby: 'id', order: 'asc', _fields: 'id,link,modified_gmt' };
  try {
    for (let page = 1, pages = 1; page <= pages; page++) {
      const list = await request(type, { ...listing, page: String(page) });
      if (Number.isInteger(list.pages)) pages = list.pages;
      seen += list.rows.length;
      for (const row of list.rows) {
        const url = linkOf(row);
        const lastmod = textOf(row['modified_gmt']);
        if (url !== undefined && lastmod !== '' && (await known?.get(url))?.lastmod === lastmod) {
          if (frontier.isFirst(url)) yield { kind: 'unchanged', url, where: url };
        } else if (Number.isSafeInteger(row['id'])) changed.push(String(row['id']));
        if (changed.length < READ) continue;
        yield* readPosts(type, changed, request, root, deps);
        changed = [];
      }
      if (seen > fetcher.limits.pages) {
        frontier.isCutOff = true;
        return;
      }
      // A row deleted meanwhile shifted others to a list page that was read before.
      if (page >= pages && seen !== list.total) frontier.isCutOff = true;
    }
    if (changed.length > 0) yield* readPosts(type, changed, request, root, deps);
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof Unfetched)) throw error;
    frontier.isCutOff = true;
    yield { kind: 'refused', where: `${type} of ${root.href}`, reason: error.message };
  }
}

async function* readPosts(
  type: string,
  ids: readonly string[],
  request: RequestRows,
  root: URL,
  deps: PageReaderDeps,
): AsyncGenerator<SourceItem> {
  const { rows } = await request(type, {
    include: ids.join(','),
    per_page: String(ids.length),
    _embed: 'wp:term',
    _fields: 'id,type,link,date,modified_gmt,title,content,_links,_embedded',
  });
  for (const row of rows) {
    const where = `${type} ${String(row['id'])} of ${root.href}`;
    yield* itemsOrRefusal(where, readPost(row, where, deps));
  }
}

function* readPost(
  row: Row,
  where: string,
  { fetcher, frontier, known, leftOut }: PageReaderDeps,
): Generator<SourceItem> {
  const url = linkOf(row);
  const content = row['content'] as Row | undefined;
  if (url === undefined) yield { kind: 'refused', where, reason: 'link must be a full url' };
  else if (!fetcher.origins.has(new URL(url).origin))
    yield { kind: 'refused', where: url, reason: 'its origin may not be requested: --allow names it' };
  else if (content?.['protected'] === true) leftOut.add('it has a password', { where: url });
  else if (!frontier.isFirst(url)) leftOut.add('the same page under another url', { where: url });
  else {
    const title = htmlText(textOf((row['title'] as Row | undefined)?.['rendered'])).text;
    const text = htmlText(textOf(content?.['rendered'])).text;
    const page = pageItem(url, { url, title, content: text, metadata: metadataOf(row) });
    const lastmod = textOf(row['modified_gmt']);
    if (page && lastmod !== '') known?.set(url, { lastmod });
    yield page ?? { kind: 'refused', where: url, reason: 'it has neither title nor content' };
  }
}

/** The same keys as in read-wxr.ts. */
function metadataOf(row: Row): Record<string, unknown> {
  const metadata: Record<string, unknown> = { type: textOf(row['type']) };
  const date = textOf(row['date']);
  if (date !== '') metadata['date'] = date.replace('T', ' ');
  const embedded = (row['_embedded'] as Row | undefined)?.['wp:term'];
  const terms = (Array.isArray(embedded) ? embedded.flat() : []) as (Row | null)[];
  for (const [name, taxonomy] of [
    ['categories', 'category'],
    ['tags', 'post_tag'],
  ] as const) {
    const names = terms.filter((term) => term?.['taxonomy'] === taxonomy).map((term) => textOf(term?.['name']));
    if (names.length > 0) metadata[name] = names.map((one) => htmlText(one).text);
  }
  return metadata;
}

function linkOf(row: Row): string | undefined {
  const url = parseUrl(textOf(row['link']));
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
