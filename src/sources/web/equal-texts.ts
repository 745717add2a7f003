import { createHash } from 'node:crypto';
import type { SourcePage } from '../source.js';

export const COPY = 'its title and text are those of another page: is it an error page, a login or a notice?';

/** Identifies a page's title, language and text; `src/sync/store/validators.ts` makes the same of a stored page. */
export function textKey({ title, content, metadata }: Pick<SourcePage, 'title' | 'content' | 'metadata'>): string {
  const hash = createHash('sha256').update(content).digest('hex');
  const language = metadata?.['language'];
  return `${hash} ${typeof language === 'string' ? language : ''} ${title ?? ''}`;
}

/**
 * Finds the urls that have nothing of their own: servers answer missing pages, pages for members and visitors without
 * consent with 200 and the same text at each url.
 */
export class EqualTexts {
  readonly #urls = new Map<string, string>();

  /** The earlier url with this key; undefined for the first. */
  earlier(url: string, key: string): string | undefined {
    const short = createHash('sha256').update(key).digest('base64');
    const first = this.#urls.get(short);
    if (first === undefined) this.#urls.set(short, url);
    return first === url ? undefined : first;
  }
}
