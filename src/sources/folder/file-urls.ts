import { parseUrl } from '../../text/page-url.js';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { Parser } from 'htmlparser2';
import type { Source } from '../source.js';
import { BadSitemap, readSitemap } from '../web/read-sitemap.js';
import { WEB_LIMITS } from '../web/web-limits.js';
import { readHtmlText } from './folder-files.js';

const INDEX = /(?:^|\/)index\.html?$/i;

/**
 * Knows the url of each HTML file of a built folder. `guides/index.html` is `/guides/`, and `about.html` is
 * `/about.html`, unless the site calls it `/about`: in its sitemap, or in most of its links to such files.
 */
export class FileUrls {
  readonly #base: URL;
  readonly #files: ReadonlySet<string>;
  /** Urls that the sitemap names, by file. */
  readonly #named = new Map<string, string>();
  /** Whether the site's links leave `.html` out. */
  #isBare = false;

  /** @param base the root url, with a slash at its end. @param files paths below the folder */
  constructor(base: string, files: ReadonlySet<string>) {
    this.#base = new URL(base);
    this.#files = files;
  }

  /** Finds the HTML file that a static server answers at a url; undefined for urls outside the folder. */
  fileAt(url: string): string | undefined {
    const path = this.pathBelow(url);
    if (path === undefined) return undefined;
    const plain = path.replace(/\/$/, '');
    const index = plain === '' ? 'index.html' : `${plain}/index.html`;
    const candidates = [...(path === plain ? [plain, `${plain}.html`, `${plain}.htm`] : []), index, index.slice(0, -1)];
    // Some servers add a slash to the url of a file.
    return [...candidates, `${plain}.html`].find((file) => this.#files.has(file));
  }

  /** Records a url of a sitemap, as the name that the site has for its file. */
  addNamed(url: string): void {
    const file = this.fileAt(url);
    if (file !== undefined && !this.#named.has(file)) this.#named.set(file, this.onSite(url));
  }

  /** Decides whether `.html` stays, by most of the links of some pages to files such as about.html. */
  setStyle(links: readonly string[]): void {
    let bare = 0;
    for (const link of links) {
      const file = this.fileAt(link);
      if (file !== undefined && !INDEX.test(file)) bare += /\.html?$/i.test(this.pathBelow(link) ?? '') ? -1 : 1;
    }
    this.#isBare = bare > 0;
  }

  urlOf(file: string): string {
    const named = this.#named.get(file);
    if (named !== undefined) return named;
    const path = INDEX.test(file)
      ? file.replace(/index\.html?$/i, '')
      : file.replace(this.#isBare ? /\.html?$/i : '', '');
    const url = new URL(this.#base);
    // File names may contain characters with a meaning in urls.
    url.pathname += path.replace(/[%?#\\\t\n\r]/g, encodeURIComponent);
    return url.href;
  }

  /** Writes a url of the site with the scheme and host of the base, and without the name of an index file. */
  onSite(url: string): string {
    const onSite = new URL(this.#base);
    // Templates join a base with its slash and a path with one.
    onSite.pathname = new URL(url).pathname.replace(/\/index\.html?$/i, '/').replace(/\/\/$/, '/');
    return onSite.href;
  }

  /** The decoded path below the base; undefined for other sites, and with a query string. */
  pathBelow(text: string): string | undefined {
    const url = parseUrl(text);
    const root = this.#base.pathname;
    if (url?.host !== this.#base.host || url.search !== '' || !url.pathname.startsWith(root)) return undefined;
    try {
      return decodeURIComponent(url.pathname.slice(root.length));
    } catch {
      return undefined;
    }
  }
}

/** The max pages whose links show how the site writes its urls. */
const MAX_SAMPLE = 100;
const MAX_LINKS = 20_000;

/** Reads the folder's sitemap.xml and the sitemaps that it names. Yields a refusal for each unreadable one. */
export async function* readFolderSitemaps(folder: string, files: ReadonlySet<string>, urls: FileUrls): Source {
  const names = new Set(['sitemap.xml']);
  for (const name of names) {
    if (names.size > WEB_LIMITS.sitemaps || !files.has(name)) continue;
    try {
      const bytes = createReadStream(join(folder, name));
      for await (const { kind, url } of readSitemap(bytes, WEB_LIMITS.sitemapBytes)) {
        const sitemap = kind === 'page' ? undefined : urls.pathBelow(url);
        if (kind === 'page') urls.addNamed(url);
        else if (sitemap !== undefined) names.add(sitemap);
      }
    } catch (error) {
      if (!(error instanceof BadSitemap)) throw error;
      yield { kind: 'refused', where: name, reason: error.message, isRule: true };
    }
  }
}

/** Reads the links of the first pages. */
export async function sampleLinks(folder: string, files: readonly string[], urls: FileUrls): Promise<string[]> {
  const links: string[] = [];
  for (const file of files.slice(0, MAX_SAMPLE)) {
    const text = await readHtmlText(join(folder, file));
    if ('html' in text) links.push(...linksOf(text.html, urls.urlOf(file)));
    if (links.length > MAX_LINKS) break;
  }
  return links;
}

function linksOf(html: string, page: string): string[] {
  const links: string[] = [];
  const parser = new Parser({
    onopentag(name, { href }) {
      const url = name === 'a' && href !== undefined ? parseUrl(href, page) : undefined;
      if (url) links.push(url.href);
    },
  });
  parser.end(html);
  return links;
}
