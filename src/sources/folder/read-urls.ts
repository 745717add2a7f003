import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { Parser } from 'htmlparser2';
import { parseUrl } from '../../text/page-url.js';
import type { Source } from '../source.js';
import { BadSitemap, readSitemap } from '../web/read-sitemap.js';
import { WEB_LIMITS } from '../web/web-limits.js';
import type { FileUrls } from './file-urls.js';
import { readHtmlText } from './folder-files.js';

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
