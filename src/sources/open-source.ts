import { stat } from 'node:fs/promises';
import { OperatorError } from '../base/errors.js';
import { parsePageUrl } from '../text/page-url.js';
import { openText } from './rows/open-text.js';
import { readCsv, readJsonLines } from './rows/page-rows.js';
import {
  FILE_FORMATS,
  isWeb,
  WEB_FORMAT,
  type KnownPages,
  type LeftOut,
  type SourceFormat,
  type Source,
  type SourceItem,
} from './source.js';
import { readSite } from './site/read-site.js';
import { readWeb, type WebOptions, type WebReport } from './web/read-web.js';
import { readWxr } from './wordpress/read-wxr.js';

export interface SourceOptions {
  /** `-`, a file, a folder or a url. */
  source: string;
  format?: SourceFormat | undefined;
  /** The url of the site's root; of a url, if the site that it serves is a copy. */
  base?: string | undefined;
  /** Follow links, where the source is a url. */
  crawl?: boolean | undefined;
  /** Origins that may be asked besides the url's own. */
  allow?: readonly string[] | undefined;
  web: Pick<WebOptions, 'userAgent' | 'logger' | 'known' | 'links' | 'signal' | 'guard' | 'onBytes'> & {
    onEnd?: (report: WebReport) => void;
  };
  /** Told of what gives no page and is not refused. */
  leftOut: LeftOut;
  stdin: NodeJS.ReadableStream;
  /** What stdin is called; its end says the format. */
  stdinName?: string | undefined;
  /** Told how much text of a file was read. */
  onText?: ((characters: number) => void) | undefined;
  /** Pages of the future are left out. */
  now: number;
}

/** @throws OperatorError when there is no such source, or when a folder's urls cannot be known */
export async function openSource(options: SourceOptions): Promise<Source> {
  const { source, format, base: given, leftOut, stdin, stdinName, onText, now } = options;
  if (isWeb(source)) return openWeb(options);
  if (options.crawl || options.allow?.length)
    throw new OperatorError('--crawl and --allow are for a source that is a url.');
  if (format === WEB_FORMAT) throw new OperatorError(`--format ${format} needs the url of a site; an export is wxr.`);
  const base = given === undefined ? undefined : readBase(given);
  const kind = source === '-' ? 'file' : await kindOf(source);
  if (kind === 'folder') {
    if (isFileFormat(format)) throw new OperatorError(`${source} is a folder: it has no format ${format}.`);
    return readSite({ folder: source, format, base, now, leftOut });
  }
  if (format !== undefined && !isFileFormat(format)) throw new OperatorError(`--format ${format} needs a folder.`);
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

async function* openWeb({
  source,
  format,
  base,
  crawl,
  allow,
  leftOut,
  web,
}: SourceOptions): AsyncGenerator<SourceItem> {
  if (format !== undefined && format !== WEB_FORMAT)
    throw new OperatorError(`--format ${format} is for files and folders; of a site there is only ${WEB_FORMAT}.`);
  if (format !== undefined && crawl) throw new OperatorError(`--crawl follows links, --format ${format} does not.`);
  let isComplete = true as boolean;
  const onEnd = (report: WebReport): void => {
    isComplete = report.isComplete;
    web.onEnd?.(report);
  };
  const options = {
    ...web,
    leftOut,
    start: source,
    crawl: crawl ?? false,
    restApi: format === WEB_FORMAT,
    allow: allow ?? [],
    onEnd,
  };
  yield* base === undefined ? readWeb(options) : readCopy(options, readBase(base));
  // No url: any of the pages that were not seen may be there.
  if (!isComplete) yield { kind: 'refused', where: 'the rest of the site', reason: 'more than one run reads' };
}

/**
 * Reads a copy of a site, such as one for tests: its urls are told as those below `base`, which ends in a slash, and so
 * is what is known of pages.
 */
async function* readCopy(options: WebOptions, base: string): AsyncGenerator<SourceItem> {
  const root = `${new URL(options.start).origin}/`;
  const there = (url: string): string => (url.startsWith(root) ? base + url.slice(root.length) : url);
  const here = (url: string): string => (url.startsWith(base) ? root + url.slice(base.length) : url);
  options.links?.tellAs(there);
  const known = options.known && knownThere(options.known, there, here);
  for await (const item of readWeb({ ...options, ...(known && { known }) })) {
    switch (item.kind) {
      case 'page':
        yield { ...item, page: { ...item.page, url: there(item.page.url) } };
        break;
      case 'unchanged':
        yield { ...item, url: there(item.url) };
        break;
      case 'redirect':
        yield { ...item, from: there(item.from), to: there(item.to) };
        break;
      case 'gone':
        yield item;
        break;
      case 'refused':
        yield { ...item, where: there(item.where) };
    }
  }
}

function knownThere(known: KnownPages, there: (url: string) => string, here: (url: string) => string): KnownPages {
  return {
    get: (url) => known.get(there(url)),
    set: (url, validators) => {
      known.set(there(url), validators);
    },
    async *urls() {
      for await (const url of known.urls?.() ?? []) yield here(url);
    },
  };
}

/** The url of a site's root, which ends in a slash. */
function readBase(text: string): string {
  const url = parsePageUrl(text);
  if (!url || url.path.includes('?'))
    throw new OperatorError(
      `--base must be the full url of the site's root, such as https://www.example.com/; not ${text}.`,
    );
  return url.href.endsWith('/') ? url.href : `${url.href}/`;
}

/** What begins as a host does: `www.example.com/sitemap.xml`. */
const HOST = /^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+(?:[:/]|$)/u;

/** @throws OperatorError where there is nothing */
export async function kindOf(source: string): Promise<'file' | 'folder'> {
  const found = await stat(source).catch(() => undefined);
  if (!found) {
    const meant = HOST.test(source) ? ` Did you mean https://${source}?` : '';
    throw new OperatorError(`There is no file or folder ${source} that can be read.${meant}`);
  }
  return found.isDirectory() ? 'folder' : 'file';
}

function isFileFormat(format: SourceFormat | undefined): format is (typeof FILE_FORMATS)[number] {
  return (FILE_FORMATS as readonly unknown[]).includes(format);
}

function formatOf(name: string, start: string): (typeof FILE_FORMATS)[number] {
  const plain = name.replace(/\.gz$/i, '');
  if (/\.(?:jsonl|ndjson)$/i.test(plain)) return 'jsonl';
  if (/\.[ct]sv$/i.test(plain)) return 'csv';
  if (/\.(?:xml|wxr)$/i.test(plain)) return 'wxr';
  const first = start.replace(/^\uFEFF/, '').trimStart()[0];
  return first === '{' || first === undefined ? 'jsonl' : first === '<' ? 'wxr' : 'csv';
}
