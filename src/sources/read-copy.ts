import type { SourceItem } from './source.js';
import type { KnownPages } from './web/known-pages.js';
import { readWeb, type WebOptions } from './web/read-web.js';

/**
 * Reads a copy of a site, such as one for tests: its urls are told as those below `base`, which ends in a slash, and so
 * is what is known of pages.
 */
export async function* readCopy(options: WebOptions, base: string): AsyncGenerator<SourceItem> {
  const root = `${new URL(options.start).origin}/`;
  const there = (url: string): string => (url.startsWith(root) ? base + url.slice(root.length) : url);
  const here = (url: string): string => (url.startsWith(base) ? root + url.slice(base.length) : url);
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
