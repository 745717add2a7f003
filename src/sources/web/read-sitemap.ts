import { createGunzip } from 'node:zlib';
import { pipeline, type Readable } from 'node:stream';
import { SaxesParser } from 'saxes';
import { limitBytes } from './http-client.js';

const MAX_TEXT = 4_096;

export interface SitemapEntry {
  /** A page, or another sitemap of an index. */
  kind: 'page' | 'sitemap';
  url: string;
  lastmod: string | undefined;
}

/** Thrown for what is no sitemap; the message says where it breaks off. */
export class BadSitemap extends Error {}

/** Reads a sitemap as it arrives: XML, or a url a line; gzipped or not, whatever its name says. */
export async function* readSitemap(body: Readable, maxBytes: number): AsyncGenerator<SitemapEntry> {
  let found: SitemapEntry[] = [];
  let reader: Reader | undefined;
  const decoder = new TextDecoder();
  for await (const chunk of unzipped(body, maxBytes)) {
    const text = decoder.decode(chunk, { stream: true });
    reader ??= /^\s*</.test(text) ? xmlReader((entry) => found.push(entry)) : lineReader((entry) => found.push(entry));
    reader.write(text);
    yield* found;
    found = [];
  }
  // What was cut off on its way must not pass for whole.
  if (!reader) throw new BadSitemap('it is empty');
  reader.close();
  yield* found;
}

interface Reader {
  write(text: string): void;
  close(): void;
}

async function* unzipped(body: Readable, maxBytes: number): AsyncGenerator<Buffer> {
  const chunks = (body as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done) return;
  const rest = async function* () {
    yield first.value;
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
  };
  if (first.value[0] !== 0x1f || first.value[1] !== 0x8b) yield* rest();
  else {
    const plain = limitBytes(maxBytes);
    pipeline(rest(), createGunzip(), plain, () => undefined);
    yield* plain as AsyncIterable<Buffer>;
  }
}

function xmlReader(found: (entry: SitemapEntry) => void): Reader {
  const parser = new SaxesParser({ position: true });
  const path: string[] = [];
  let loc = '';
  let lastmod = '';
  parser.on('error', (error) => {
    throw new BadSitemap(error.message);
  });
  parser.on('opentag', ({ name }) => {
    const local = name.replace(/^.*:/, '');
    if (path.length === 0 && local !== 'urlset' && local !== 'sitemapindex')
      throw new BadSitemap(`it begins with <${local.slice(0, 40)}>, not with <urlset> or <sitemapindex>`);
    if (path.length > 20) throw new BadSitemap('its elements are nested too deeply');
    path.push(local);
    if (path.length === 2) loc = lastmod = '';
  });
  const text = (piece: string): void => {
    // Images and videos of a page have urls of their own, a level deeper.
    if (path.length !== 3) return;
    if (path[2] === 'loc') loc = (loc + piece).slice(0, MAX_TEXT);
    else if (path[2] === 'lastmod') lastmod = (lastmod + piece).slice(0, 100);
  };
  parser.on('text', text);
  parser.on('cdata', text);
  parser.on('closetag', () => {
    const closed = path.pop();
    if (path.length === 1 && loc.trim() !== '')
      found({
        kind: closed === 'sitemap' ? 'sitemap' : 'page',
        url: loc.trim(),
        lastmod: lastmod.trim() === '' ? undefined : lastmod.trim(),
      });
  });
  return {
    write: (piece) => void parser.write(piece),
    close: () => void parser.close(),
  };
}

function lineReader(found: (entry: SitemapEntry) => void): Reader {
  let rest = '';
  const write = (text: string): void => {
    const lines = (rest + text).split(/\r?\n/);
    rest = lines.pop() ?? '';
    if (rest.length > MAX_TEXT) throw new BadSitemap('a line is too long to be a url');
    for (const line of lines) {
      const url = line.trim();
      if (url === '') continue;
      if (!/^https?:\/\//i.test(url)) throw new BadSitemap('it is neither XML nor a list of urls');
      found({ kind: 'page', url, lastmod: undefined });
    }
  };
  return {
    write,
    close: () => {
      write('\n');
    },
  };
}
