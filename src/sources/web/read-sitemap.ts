import { pipeline, type Readable } from 'node:stream';
import { Parser } from 'htmlparser2';
import { gunzip, readHead } from '../../text/gunzip.js';
import { limitBytes } from './http-client.js';

const MAX_TEXT = 4_096;
const MAX_DEPTH = 100;
/** The characters that are searched for the beginning of a sitemap: some servers send notices before it. */
const HEAD = 65_536;

export interface SitemapEntry {
  kind: 'page' | 'sitemap';
  /** The url as the sitemap has it; for an unreadable entry, a text with the reason. */
  url: string;
  lastmod: string | undefined;
}

/** The file is not a sitemap, or is truncated; the message is the reason. */
export class BadSitemap extends Error {}

/**
 * Reads a sitemap as a stream: XML or a url per line; gzipped or not; in UTF-8, UTF-16 or the encoding of its XML
 * declaration. Accepts XML that is not well-formed around the entries, since many sitemaps come from templates.
 * @throws BadSitemap
 */
export async function* readSitemap(body: Readable, maxBytes: number): AsyncGenerator<SitemapEntry> {
  let entries: SitemapEntry[] = [];
  const emit = (entry: SitemapEntry): void => void entries.push(entry);
  let reader: Reader | undefined;
  let head = '';
  const bytes = pipeline(gunzip(body as AsyncIterable<Buffer>), limitBytes(maxBytes), () => undefined);
  for await (const text of decoded(bytes as AsyncIterable<Buffer>)) {
    if (reader) reader.write(text);
    else {
      head += text;
      reader = head.length < HEAD ? undefined : openReader(head, emit);
    }
    yield* entries;
    entries = [];
  }
  if (head.trim() === '') throw new BadSitemap('it is empty');
  reader ??= openReader(head, emit);
  // Yields the entries first, because `close` throws for a truncated sitemap.
  yield* entries;
  entries = [];
  reader.close();
  yield* entries;
}

/** Whether a text is XML, perhaps after a notice. */
export function looksLikeSitemap(head: string): boolean {
  return head.trimStart().startsWith('<') || /<(?:\?xml|(?:[\w.-]{1,40}:)?(?:urlset|sitemapindex)[\s>])/i.test(head);
}

interface Reader {
  write(text: string): void;
  close(): void;
}

function openReader(head: string, emit: (entry: SitemapEntry) => void): Reader {
  const isXml = looksLikeSitemap(head);
  if (!isXml && !/^[ \t\uFEFF]{0,99}https?:\/\//im.test(head))
    throw new BadSitemap('it is neither XML nor a list of urls');
  const reader = isXml ? xmlReader(emit) : lineReader(emit);
  reader.write(head);
  return reader;
}

async function* decoded(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const { head, all } = await readHead(chunks, 1_024);
  const decoder = new TextDecoder(encodingOf(head));
  for await (const chunk of all) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}

function encodingOf(head: Buffer): string {
  const [first, second] = head;
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return 'utf-16be';
  const [, label = ''] =
    /<\?xml\s[^>]{0,200}?encoding\s{0,9}=\s{0,9}["']([\w.-]{1,40})["']/i.exec(head.toString('latin1', 0, 1_024)) ?? [];
  try {
    // A declaration that is readable as ASCII is not UTF-16.
    return /^(?:|utf-?16.*)$/i.test(label) ? 'utf-8' : new TextDecoder(label).encoding;
  } catch {
    return 'utf-8';
  }
}

function xmlReader(emit: (entry: SitemapEntry) => void): Reader {
  const path: string[] = [];
  let root: string | undefined;
  let first: string | undefined;
  let isWhole = false;
  let entry: { kind: SitemapEntry['kind']; loc: string; lastmod: string; problem?: string } | undefined;
  const endEntry = (): void => {
    if (entry && (entry.loc.trim() !== '' || entry.problem !== undefined)) {
      const lastmod = plain(entry.lastmod);
      emit({ kind: entry.kind, url: urlOf(entry.loc, entry.problem), lastmod: lastmod === '' ? undefined : lastmod });
    }
    entry = undefined;
  };
  const parser = new Parser(
    {
      onopentag(name) {
        const local = localName(name);
        first ??= local;
        if (local === 'urlset' || local === 'sitemapindex') {
          root = local;
          isWhole = false;
          path.length = 0;
        } else if (root !== undefined && (local === 'url' || local === 'sitemap')) {
          endEntry();
          entry = { kind: local === 'url' ? 'page' : 'sitemap', loc: '', lastmod: '' };
        } else if (entry && path.at(-1) === 'loc' && !/^(?:lastmod|changefreq|priority|loc)$/.test(local))
          entry.problem ??= 'it has tags within';
        if (path.length > MAX_DEPTH) throw new BadSitemap('its elements are nested too deeply');
        path.push(local);
      },
      ontext(piece) {
        const [parent = '', element] = path.slice(-2);
        // Urls of images and videos are a level deeper. Text after an unclosed <loc> is inside it.
        if (!entry || !/^(?:url|sitemap|loc)$/.test(parent)) return;
        if (element === 'loc') entry.loc = (entry.loc + piece).slice(0, MAX_TEXT + 1);
        else if (element === 'lastmod') entry.lastmod = (entry.lastmod + piece).slice(0, 100);
      },
      onclosetag(name, isImplied) {
        const local = localName(name);
        path.pop();
        if (local === 'url' || local === 'sitemap') endEntry();
        if (local === root && !isImplied) isWhole = true;
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  return {
    write: (text) => parser.write(text),
    close: () => {
      parser.end();
      if (first === undefined) throw new BadSitemap('it has no elements');
      if (root === undefined)
        throw new BadSitemap(`it begins with <${first.slice(0, 40)}>, not with <urlset> or <sitemapindex>`);
      if (!isWhole) throw new BadSitemap(`it ends before </${root}>`);
    },
  };
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1).toLowerCase();
}

/** Removes control characters, which some servers send. */
function plain(text: string): string {
  return text.replace(/[\u0000-\u001F\u007F\uFEFF]+/g, ' ').trim();
}

function urlOf(text: string, problem?: string): string {
  const url = plain(text);
  const why =
    problem ??
    (url.length > MAX_TEXT
      ? 'it is too long'
      : url.includes('\uFFFD')
        ? 'it is in another encoding'
        : /&[a-z]\w*;/i.test(url)
          ? 'it has an entity that XML does not know'
          : undefined);
  return why === undefined ? url : `an entry (${why}: ${url.slice(0, 100)})`;
}

function lineReader(emit: (entry: SitemapEntry) => void): Reader {
  let rest = '';
  const write = (text: string): void => {
    const lines = (rest + text).split(/\r\n?|\n/);
    rest = (lines.pop() ?? '').slice(0, MAX_TEXT + 1);
    for (const line of lines) {
      const url = urlOf(line);
      if (url !== '' && !url.startsWith('#')) emit({ kind: 'page', url, lastmod: undefined });
    }
  };
  return { write, close: () => write('\n') };
}
