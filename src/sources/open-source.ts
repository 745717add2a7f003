import { stat } from 'node:fs/promises';
import { OperatorError } from '../base/errors.js';
import { parsePageUrl } from '../text/page-url.js';
import { readFolder } from './folder/read-folder.js';
import { openText } from './rows/open-text.js';
import { readCsv, readJsonLines } from './rows/page-rows.js';
import {
  FOLDER_FORMAT,
  isWeb,
  type FILE_FORMATS,
  type KnownPages,
  type LeftOut,
  type SourceFormat,
  type Source,
  type SourceItem,
} from './source.js';
import { readWeb, type WebOptions, type WebReport } from './web/read-web.js';
import { createPathFilter, type PathFilter } from './path-filter.js';
import { readWxr } from './wordpress/read-wxr.js';

export interface SourceOptions {
  /** `-`, a file, a folder or a url. */
  source: string;
  format?: SourceFormat | undefined;
  /** Root url of the site, which a folder needs; for a url, if it serves a copy of the site. */
  base?: string | undefined;
  /** The source is read for these paths; default: all. */
  filter?: PathFilter | undefined;
  /** Whether links are followed; only for a url. */
  crawl?: boolean | undefined;
  /** Allowed origins besides the url's own. */
  allow?: readonly string[] | undefined;
  web: Omit<WebOptions, 'start' | 'crawl' | 'allow' | 'limits' | 'filter' | 'leftOut' | 'clock' | 'resolve'>;
  /** Collects items that give no page and are not refused. */
  leftOut: LeftOut;
  stdin: NodeJS.ReadableStream;
  /** File name of stdin; its ending selects the format. */
  stdinName?: string | undefined;
  /** Called with the length of each chunk of a file. */
  onText?: ((characters: number) => void) | undefined;
}

/** @throws OperatorError if the source does not exist, or is a folder without HTML or without a root url */
export async function openSource(options: SourceOptions): Promise<Source> {
  const { filter } = options;
  const items = await openWhole(options);
  return filter && filter.include.length + filter.exclude.length > 0 ? filtered(items, filter, options.leftOut) : items;
}

/** Leaves pages out by their paths. From a site, most of these are not even requested. */
async function* filtered(items: Source, filter: PathFilter, leftOut: LeftOut): AsyncGenerator<SourceItem> {
  const reasonOf = createPathFilter(filter);
  for await (const item of items) {
    const url: unknown = item.kind === 'page' ? item.page.url : item.kind === 'unchanged' ? item.url : undefined;
    const reason = typeof url === 'string' ? reasonOf(url) : undefined;
    if (reason === undefined) yield item;
    else leftOut.add(reason, { where: item.where });
  }
}

async function openWhole(options: SourceOptions): Promise<Source> {
  const { source, format, leftOut, stdin, stdinName, onText } = options;
  if (isWeb(source)) return openWeb(options);
  if (options.crawl || options.allow?.length)
    throw new OperatorError('--crawl and --allow are for a source that is a url.');
  const base = options.base === undefined ? undefined : readBase(options.base);
  const kind = source === '-' ? 'file' : await kindOf(source);
  if (kind === 'folder') {
    if (format !== undefined && format !== FOLDER_FORMAT)
      throw new OperatorError(`${source} is a folder: it has no format ${format}.`);
    return readFolder({ folder: source, base, leftOut });
  }
  if (format === FOLDER_FORMAT) throw new OperatorError(`--format ${format} needs a folder.`);
  const { name, start, chunks: read } = await openText(source, stdin, false, stdinName);
  const chunks = onText ? counted(read, onText) : read;
  switch (format ?? formatOf(name, start)) {
    case 'jsonl':
      return readJsonLines(chunks, name, base);
    case 'csv':
      return readCsv(chunks, name, base);
    case 'wxr':
      return readWxr(chunks, name, base, leftOut);
  }
}

async function* counted(chunks: AsyncIterable<string>, onText: (characters: number) => void): AsyncGenerator<string> {
  for await (const chunk of chunks) {
    onText(chunk.length);
    yield chunk;
  }
}

async function* openWeb(options: SourceOptions): Source {
  const { source, format, base, crawl = false, allow = [], filter, leftOut, web } = options;
  if (format !== undefined) throw new OperatorError(`--format ${format} is for files and folders, not for a url.`);
  let isComplete = true as boolean;
  const onEnd = (report: WebReport): void => {
    isComplete = report.isComplete;
    web.onEnd?.(report);
  };
  const site = { ...web, start: source, crawl, allow, filter, leftOut, onEnd };
  yield* base === undefined ? readWeb(site) : readCopy(site, readBase(base));
  // The refusal has no url, so that no unread page counts as gone.
  if (!isComplete) yield { kind: 'refused', where: 'the rest of the site', reason: 'more than one run reads' };
}

/** Reads a copy of a site, such as a test server: maps its urls and validators to those below `base`, with a slash. */
async function* readCopy(options: WebOptions, base: string): AsyncGenerator<SourceItem> {
  const root = `${new URL(options.start).origin}/`;
  const there = (url: string): string => (url.startsWith(root) ? base + url.slice(root.length) : url);
  const here = (url: string): string => (url.startsWith(base) ? root + url.slice(base.length) : url);
  options.links?.mapUrls(there);
  const known = options.known && mapKnownPages(options.known, there, here);
  for await (const item of readWeb({ ...options, ...(known && { known }) })) yield mapUrls(item, there);
}

function mapUrls(item: SourceItem, there: (url: string) => string): SourceItem {
  if (item.kind === 'page') return { ...item, page: { ...item.page, url: there(item.page.url) } };
  if (item.kind === 'unchanged') return { ...item, url: there(item.url) };
  if (item.kind === 'redirect') return { ...item, from: there(item.from), to: there(item.to) };
  return item.kind === 'refused' ? { ...item, where: there(item.where) } : item;
}

function mapKnownPages(known: KnownPages, there: (url: string) => string, here: (url: string) => string): KnownPages {
  return {
    get: (url) => known.get(there(url)),
    set: (url, validators) => known.set(there(url), validators),
    async *urls() {
      for await (const url of known.urls?.() ?? []) yield here(url);
    },
  };
}

/** The root url of a site, with a slash at its end. @throws OperatorError */
function readBase(text: string): string {
  const url = parsePageUrl(text);
  if (!url || url.path.includes('?'))
    throw new OperatorError(
      `--base must be the full url of the site's root, such as https://www.example.com/; not ${text}.`,
    );
  return url.href.endsWith('/') ? url.href : `${url.href}/`;
}

/** Matches a text that begins with a host name: `www.example.com/sitemap.xml`. */
const HOST = /^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+(?:[:/]|$)/u;

/** @throws OperatorError if there is neither */
export async function kindOf(source: string): Promise<'file' | 'folder'> {
  const stats = await stat(source).catch(() => undefined);
  if (!stats) {
    const meant = HOST.test(source) ? ` Did you mean https://${source}?` : '';
    throw new OperatorError(`There is no file or folder ${source} that can be read.${meant}`);
  }
  return stats.isDirectory() ? 'folder' : 'file';
}

function formatOf(name: string, start: string): (typeof FILE_FORMATS)[number] {
  const plain = name.replace(/\.gz$/i, '');
  if (/\.(?:jsonl|ndjson)$/i.test(plain)) return 'jsonl';
  if (/\.[ct]sv$/i.test(plain)) return 'csv';
  if (/\.(?:xml|wxr)$/i.test(plain)) return 'wxr';
  const first = start.replace(/^\uFEFF/, '').trimStart()[0];
  return first === '{' || first === undefined ? 'jsonl' : first === '<' ? 'wxr' : 'csv';
}
