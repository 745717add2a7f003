import { LIMITS } from '../base/request-limits.js';
import { createHash, randomBytes } from 'node:crypto';
import { invalid, type ApiError } from '../base/errors.js';
import { compileBody, type Place } from '../base/validate.js';
import { parsePageUrl, type PageUrl } from '../text/page-url.js';
import { pathKey } from '../text/paths/plain-path.js';
import { fieldsOf, pushedRow, PUSHED_SCHEMA, type PushedFields } from './page-fields.js';

/** A checked page of a customer. */
export interface PushedPage extends PushedFields {
  url: PageUrl;
  content: string;
}

/** A page as a row of a record set in SQL, without its identifier. Bytes are in hexadecimal digits. */
export function pageRow({ url, content, ...fields }: PushedPage) {
  return {
    url: url.href,
    url_hash: url.hash.toString('hex'),
    // Redirects find pages by this key.
    path_key: pathKey(url.path).toString('hex'),
    content,
    content_hash: createHash('sha256').update(content).digest('hex'),
    ...pushedRow(fields),
  };
}

export const PAGE_SCHEMA = {
  type: 'object',
  title: 'Page',
  required: ['url', 'content'],
  properties: {
    url: {
      type: 'string',
      minLength: 1,
      maxLength: LIMITS.urlCharacters,
      description: 'Absolute, http or https; a page of the same url is updated.',
    },
    content: {
      type: 'string',
      minLength: 1,
      maxLength: LIMITS.contentCharacters,
      description: "The page's whole text, plain or Markdown. HTML is kept as it is, and found by its text.",
    },
    ...PUSHED_SCHEMA,
  },
} as const;

/** Checks pages of requests and files. The function throws an ApiError with the field. */
export function createPageCheck(): (body: Record<string, unknown>, place?: Place) => PushedPage {
  const check = compileBody(PAGE_SCHEMA);
  return (body, place) => {
    const { url, content, ...fields } = check(body, place);
    const page = parsePageUrl(url);
    if (!page) throw notAUrl(place?.at === undefined ? 'url' : `${place.at}.url`);
    return { url: page, content, ...fieldsOf(fields) };
  };
}

export function notAUrl(param: string): ApiError {
  return invalid(
    param,
    `${param} must be an absolute http(s) url without a user name or password, such as https://www.example.com/help.`,
  );
}

const PAGE_ID = /^[0-9a-f]{24}$/;

/** A page identifier in hex: 4 bytes of Unix seconds and 8 random bytes, which make it unique across projects. */
export function createPageId(now: number): string {
  const seconds = Math.floor(now / 1000) % 2 ** 32;
  return seconds.toString(16).padStart(8, '0') + randomBytes(8).toString('hex');
}

export function isPageId(value: unknown): value is string {
  return typeof value === 'string' && PAGE_ID.test(value);
}
