import { SITE_FORMATS, type SiteFormat } from './site/site-format.js';

export const FILE_FORMATS = ['jsonl', 'csv', 'wxr'] as const;
/** What a site may be besides HTML. */
export const WEB_FORMAT = 'wordpress';
export type SourceFormat = (typeof FILE_FORMATS)[number] | typeof WEB_FORMAT | SiteFormat;
export const SOURCE_FORMATS: readonly SourceFormat[] = [...FILE_FORMATS, WEB_FORMAT, ...SITE_FORMATS];

/** Whether a source is a url. */
export function isWeb(source: string): boolean {
  return /^https?:\/\//i.test(source);
}
