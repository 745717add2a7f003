import { createHash } from 'node:crypto';
import type { SourcePage } from '../source.js';

export const COPY = 'its title and text are those of another page: is it an error page, a login or a notice?';

/** Identifies a page's title, language and text; `src/sync/store/validators.ts` makes the same of a stored page. */
export function textKey({ title, content, metadata }: SourcePage): string {
  const language = metadata?.['language'];
  const hash = createHash('sha256').update(content).digest('hex');
  return `${hash} ${typeof language === 'string' ? language : ''} ${title ?? ''}`;
}

/** Returns the first url with this {@link textKey}: servers answer for missing or private pages with one text. */
export function firstWithText(urls: Map<string, string>, key: string, url: string): string {
  const short = createHash('sha256').update(key).digest('base64');
  const first = urls.get(short) ?? url;
  urls.set(short, first);
  return first;
}
