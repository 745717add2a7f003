import { isIndexFile, stripExtension, pathSegments } from './path-segments.js';
import { foldLetters } from '../words/word-forms.js';
import { hash } from 'node:crypto';

const SEPARATORS = /[^\p{L}\p{N}\p{M}]+/gu;

/** Most paths match. They need no decoding and are only split, since parsing takes most of the time of a comparison. */
const ORDINARY_PATH = /^(?:\/[a-z0-9][a-z0-9_.-]*)*\/?$/i;

/** Segments to compare by characters: no extensions, index files or pagination. `decoded`: its {@link pathSegments}. */
export function plainSegments(path: string, decoded?: readonly string[]): string[] {
  const ordinary = path.length <= 512 && ORDINARY_PATH.test(path);
  const segments = ordinary
    ? path.split('/').filter((segment) => segment !== '')
    : [...(decoded ?? pathSegments(path))];
  if (segments.length > 0 && isIndexFile(segments.at(-1) ?? '')) segments.pop();
  // Pagination is dropped: `/news/page/2` is about `/news`.
  if (segments.length > 2 && segments.at(-2)?.toLowerCase() === 'page' && /^\d+$/.test(segments.at(-1) ?? ''))
    segments.splice(-2);
  return segments.map((segment) =>
    stripExtension(segment)
      .toLowerCase()
      .replace(ordinary ? /[_.-]+/g : SEPARATORS, '-'),
  );
}

/** Returns segments in the letters of slugs, so that `/über-uns` and `/uber-uns` are equal in comparisons. */
export function comparedSegments(plain: readonly string[]): string[] {
  return plain.map(foldLetters);
}

/** Parameters that mailings, advertisements and analytics add to a url, and that no page reads. */
const TRACKING = new RegExp(
  '^(?:utm_\\w+|mtm_\\w+|pk_(?:campaign|kwd|keyword|medium|source|content|cid)|hsa_\\w+|_hsenc|_hsmi|mc_[ce]id|_gl|_ga' +
    '|gclid|gclsrc|dclid|gbraid|wbraid|srsltid|fbclid|msclkid|ttclid|twclid|li_fat_id|igshid|igsh|epik|yclid|ysclid' +
    '|_openstat|mkt_tok|vero_id|oly_(?:anon|enc)_id|s_kwcid|ef_id|wickedid)$',
  'i',
);

/** Whether a parameter of a query string, `name` or `name=value`, is for tracking only. */
function isTracking(parameter: string): boolean {
  return TRACKING.test(parameter.split('=', 1)[0] ?? '');
}

/** Writes parameters as a query string. Half a character, which no url can hold, is replaced. */
export function writeQuery(parameters: object): string {
  return Object.entries(parameters)
    .map((pair) => pair.map((text) => encodeURIComponent(String(text).toWellFormed())).join('='))
    .join('&');
}

/**
 * Returns a query string, given without its question mark, in the form in which it is compared: its parameters in one
 * order, decoded and encoded again in one way, without empty parts (`&&`) and those for tracking. Upper and lower case
 * stay, because ids may differ by it.
 */
export function comparedQuery(query: string): string {
  if (query === '') return '';
  return query
    .split('&')
    .filter((parameter) => parameter !== '' && !isTracking(parameter))
    .map((parameter) => {
      const at = parameter.indexOf('=');
      const [name, value] = at < 0 ? [parameter, ''] : [parameter.slice(0, at), parameter.slice(at + 1)];
      return value === '' ? reencoded(name) : `${reencoded(name)}=${reencoded(value)}`;
    })
    .sort()
    .join('&');
}

function reencoded(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  try {
    return encodeURIComponent(decodeURIComponent(spaced).normalize('NFC'));
  } catch {
    // Bytes that are not UTF-8, or half a character, are not decoded.
    return spaced;
  }
}

/** A path in the form in which redirects are compared. */
export interface PlainPath {
  /** Decoded, in lower case, with one kind of separator; without extensions, index files, pagination and host. */
  segments: string[];
  /** The query string in the form of {@link comparedQuery}; '' if there is none. */
  query: string;
}

const MAX_DEPTH = 64;

/** Reads the form of a path in which redirects are compared. `rough`: its {@link plainSegments}, if they are known. */
export function plainPath(raw: string, rough: readonly string[] = plainSegments(raw)): PlainPath {
  const segments = rough.map((segment) => segment.replace(/^-|-$/g, ''));
  return {
    segments: segments.filter((segment) => segment !== '').slice(-MAX_DEPTH),
    query: comparedQuery(/\?([^#]*)/.exec(raw)?.[1] ?? ''),
  };
}

/** Joins segments to a path: `['a', 'b']` gives `/a/b`, an empty list gives ''. */
export function joinSegments(segments: readonly string[]): string {
  return segments.map((segment) => `/${segment}`).join('');
}

/** The key of a plain path in the database: its SHA-256. */
export function hashPlainPath(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

/** The key of a path with its query string. `/a/b.html` and `/A/b/` have one key, `/a/b?id=1` has another. */
export function pathKey(raw: string): Buffer {
  const { segments, query } = plainPath(raw);
  return hashPlainPath(joinSegments(segments) + (query === '' ? '' : `?${query}`));
}

/** The keys of the pages that a target may name: the key with its query string first, then the key without. */
export function targetKeys(path: string): Buffer[] {
  const { segments, query } = plainPath(path);
  return [...(query === '' ? [] : [`?${query}`]), ''].map((end) => hashPlainPath(joinSegments(segments) + end));
}

/** The key of the folder of a path; null if the path is in no folder. */
export function folderKey({ segments }: PlainPath): Buffer | null {
  return segments.length < 2 ? null : hashPlainPath(joinSegments(segments.slice(0, -1)));
}

/** This stands for any number in a prefix, such as the years and months of a blog. No plain segment contains it. */
const NUMBER_WILDCARD = '#';

export function isNumber(segment: string): boolean {
  return /^\d+$/.test(segment);
}

/**
 * Splits a path in every way into a prefix, which a section redirect may name, and a tail of at least one more segment,
 * which begins with a slash; longest prefix first. A prefix with numbers is followed by the same prefix with `#` for
 * each number.
 */
export function splitPath(segments: readonly string[]): { prefix: string; tail: string }[] {
  const splits = [];
  for (let length = segments.length - 1; length >= 0; length--) {
    const prefix = segments.slice(0, length);
    const tail = joinSegments(segments.slice(length));
    splits.push({ prefix: joinSegments(prefix), tail });
    if (prefix.some(isNumber)) splits.push({ prefix: maskNumbers(prefix), tail });
  }
  return splits;
}

/** Joins segments, with `#` in place of each number. */
export function maskNumbers(prefix: readonly string[]): string {
  return joinSegments(prefix.map((segment) => (isNumber(segment) ? NUMBER_WILDCARD : segment)));
}

/** Whether a segment of a prefix may be any number. */
export function hasNumberPlaceholder(prefix: string | null): boolean {
  return prefix?.includes(NUMBER_WILDCARD) ?? false;
}

/** The keys for the look-up of a dead path's redirects. `prefixes` and `tails` are parallel arrays. */
export interface RedirectKeys {
  /** The path's own keys, the more exact first. */
  keys: readonly Buffer[];
  /** The path as it is and with `#` for each number: a rule for all below a folder holds for the folder itself. */
  whole: readonly string[];
  /** The prefixes of the path, the longest first; the first are those of `whole`. */
  prefixes: readonly string[];
  tails: readonly string[];
}

export function redirectKeys({ segments, query }: PlainPath): RedirectKeys {
  const plain = joinSegments(segments);
  const whole = [...new Set([plain, maskNumbers(segments)])];
  const splits = [...whole.map((prefix) => ({ prefix, tail: '' })), ...splitPath(segments)];
  return {
    keys: [...(query === '' ? [] : [`${plain}?${query}`]), plain].map(hashPlainPath),
    whole,
    prefixes: splits.map((split) => split.prefix),
    tails: splits.map((split) => split.tail),
  };
}

/** Drops the tracking parameters of a url or path. */
export function dropTracking(url: string): string {
  const at = url.indexOf('?');
  if (at < 0) return url;
  const end = url.indexOf('#', at) < 0 ? url.length : url.indexOf('#', at);
  const kept = url
    .slice(at + 1, end)
    .split('&')
    .filter((parameter) => !isTracking(parameter));
  return url.slice(0, at) + (kept.length === 0 ? '' : `?${kept.join('&')}`) + url.slice(end);
}
