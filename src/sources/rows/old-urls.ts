import { Readable } from 'node:stream';
import { OperatorError } from '../../base/errors.js';
import { detectFormat } from '../../text/access-logs/access-log.js';
import { splitLines } from '../../text/read-lines.js';
import { delimiterOf, TableRows } from '../../text/table-rows.js';
import { BadSitemap, looksLikeSitemap, readSitemap } from '../web/read-sitemap.js';
import type { SitemapUrl } from '../web/read-sitemaps.js';
import { LoggedPaths } from './logged-paths.js';
import type { NoOldUrl, OldUrl } from '../source.js';

/** Names of columns in exports of crawlers, search consoles and analytics, in lower case. */
const COLUMNS = {
  old: /^(?:old|old path|old url|path|from|source|url|address|page|page path(?: and screen class| \+ query string)?|page location|page url|target url|metadata: url|top pages|landing page(?: \+ query string)?|loc|uri|request|request url)$/,
  title: /^(?:title|title 1|page title)$/,
  content: /^(?:content|text|body|description|meta description 1)$/,
  hits: /^(?:hits|clicks|sessions|views|pageviews|page views|visits|nb hits|nb visits|count|requests|traffic)$/,
  status: /^(?:status|status code|http status|http status code|(?:target page )?http code)$/,
  type: /^(?:content type|mime type)$/,
};
type Columns = Record<keyof typeof COLUMNS, number>;

/** The max characters of a line: a row may contain a page's content. */
const MAX_LINE = 8_000_000;
/** The characters that are searched for the format: a log may begin with other lines. */
const BEGIN = 16_384;
const MAX_SITEMAP_BYTES = 1_000_000_000;

/**
 * Reads the old urls of a file: lines, a table with a header, a sitemap, or the 404s of an access log. Holds one line
 * or row in memory; for a log, its missing paths.
 * @param readPart reads a sitemap that a sitemap index refers to
 * @throws OperatorError for other formats
 */
export async function* readOldUrls(name: string, chunks: AsyncIterable<string>, readPart?: ReadPart) {
  const iterator = chunks[Symbol.asyncIterator]();
  let begin = '';
  while (begin.length < BEGIN) {
    const next = await iterator.next();
    if (next.done === true) break;
    begin += next.value;
  }
  begin = begin.replace(/^\uFEFF/, '');
  const isLog = begin.split('\n').some((line) => detectFormat(line) !== undefined);
  async function* all(): AsyncGenerator<string> {
    yield begin;
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value;
  }
  const isSitemap = begin.trimStart().startsWith('<') || (/\.xml(?:\.gz)?$/i.test(name) && looksLikeSitemap(begin));
  if (isSitemap) yield* readSitemapFile(name, all(), readPart);
  else yield* readRows(name, all(), isLog);
}

/** @param isLog the beginning contains a line of an access log */
async function* readRows(name: string, chunks: AsyncIterable<string>, isLog: boolean) {
  let line = 0;
  let table: { rows: TableRows; columns: Columns } | undefined;
  const log = isLog ? new LoggedPaths(name) : undefined;
  let isFirst = true;
  for await (const text of splitLines(chunks, MAX_LINE)) {
    line++;
    if (text.includes('\uFFFD')) {
      yield { line, reason: 'not UTF-8: save the file as UTF-8, or convert it first' };
      continue;
    }
    if (log) {
      const refused = log.push(text, line);
      if (refused) yield refused;
      continue;
    }
    if (text.length > MAX_LINE) {
      yield { line, reason: `longer than ${MAX_LINE} characters` };
      continue;
    }
    if (!table && (text.trim() === '' || text.trimStart().startsWith('#'))) continue;
    if (isFirst) {
      isFirst = false;
      table = readHeader(name, text, line);
      if (table) continue;
    }
    if (table) {
      const row = table.rows.push(text, line);
      if (row && row.cells.some((cell) => cell.trim() !== '')) yield toOldUrl(row.cells, row.line, table.columns);
    } else {
      const [old = '', hits] = text.trim().split(/[\s,;]+/);
      yield checked(line, old, { hits: hits === undefined ? undefined : Number(hits) });
    }
  }
  if (log) yield* log.end();
  const open = table?.rows.open;
  if (open) yield { line: open.line, reason: 'a quote that is opened here is never closed' };
}

/** @throws OperatorError if the header has no column of old urls */
function readHeader(name: string, text: string, line: number): { rows: TableRows; columns: Columns } | undefined {
  if (/^\s*"?(?:\/|https?:)/i.test(text)) return undefined;
  const rows = new TableRows(text.includes('\t') ? '\t' : delimiterOf(name, text));
  const names = rows.push(text, line)?.cells.map((cell) => cell.trim().toLowerCase().replaceAll('_', ' ')) ?? [];
  const columns = Object.fromEntries(
    Object.entries(COLUMNS).map(([key, known]) => [key, names.findIndex((column) => known.test(column))]),
  ) as Columns;
  if (columns.old < 0)
    throw new OperatorError(
      `${name}:${line}: neither an old path or url, nor a header that names a column of them, such as old, url or address, nor a line of an access log`,
    );
  return { rows, columns };
}

function toOldUrl(cells: readonly string[], line: number, columns: Columns): OldUrl | NoOldUrl {
  const cell = (name: keyof Columns): string => cells[columns[name]]?.trim() ?? '';
  const old = cell('old');
  const status = cell('status');
  // A list of old urls is for missing pages. Exports of crawlers also list urls that are not pages.
  const isMissing = /\b4(?:04|10)\b|not found/i.test(status);
  if (!isMissing && /^[345]\d\d\b/.test(status)) return { line, reason: `${old} was no page: ${status}` };
  if (!isMissing && cell('type') !== '' && !/html/i.test(cell('type')))
    return { line, reason: `${old} was no page: ${cell('type')}` };
  const hits = cell('hits').replace(/[\s,_']/g, '');
  // A missing page has the title and the text of the 404 page.
  const [title, content] = isMissing ? ['', ''] : [cell('title'), cell('content')];
  return checked(line, old, { title, content, hits: hits === '' ? undefined : Number(hits) });
}

function checked(line: number, old: string, more: Partial<OldUrl> = {}): OldUrl | NoOldUrl {
  const oldUrl = { line, old, title: '', content: '', hits: undefined, ...more };
  if (!/^(?:\/|https?:\/\/)/i.test(old))
    return { line, reason: `${JSON.stringify(old.slice(0, 100))} is neither a path nor a full url` };
  if (oldUrl.hits !== undefined && !(oldUrl.hits >= 0 && Number.isFinite(oldUrl.hits)))
    return { line, reason: `hits of ${old} must be a number` };
  return oldUrl;
}

export type ReadPart = (url: string) => AsyncIterable<SitemapUrl>;

async function* readSitemapFile(name: string, chunks: AsyncIterable<string>, readPart: ReadPart | undefined) {
  let line = 0;
  try {
    for await (const { kind, url } of readSitemap(Readable.from(encode(chunks)), MAX_SITEMAP_BYTES)) {
      line++;
      if (kind === 'page') yield checked(line, url);
      else if (readPart) yield* readServedSitemap(readPart(url), line);
      else yield { line, reason: `${url} is another sitemap: map it by itself` };
    }
  } catch (error) {
    if (!(error instanceof BadSitemap)) throw error;
    throw new OperatorError(`${name} is no sitemap: ${error.message}.`, { cause: error });
  }
}

/** Reads the old urls of a served sitemap. `line` is the place where the file refers to it. */
export async function* readServedSitemap(urls: AsyncIterable<SitemapUrl>, line: number) {
  for await (const { url, reason } of urls)
    yield reason === undefined ? checked(line, url) : { line, reason: `${url} ${reason}` };
}

async function* encode(chunks: AsyncIterable<string>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) yield Buffer.from(chunk);
}
