import { decodePercent } from './percent.js';
import { stripExtension } from './path-noise.js';

/** Twice the longest path that the API takes; whoever calls with more gets this much read. */
const MAX_PATH_LENGTH = 4096;

/** Of a deeper path the last segments are read; real ones are up to about 12 deep. */
const MAX_DEPTH = 64;

const WORD_RUN = /[\p{L}\p{N}\p{M}]+/gu;
const HOST = /^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}(?::\d{1,5})?$/u;

/**
 * Drops scheme and host. Without a scheme a first part is a host only if it looks like one and is not a file:
 * `//example.com/a` and `example.com/a`, but not `//docs/a`, which is a path with a slash too many.
 */
function dropHost(text: string): string {
  const scheme = /^[a-z][a-z0-9+.-]{0,20}:\/\/+[^/?#]*/i.exec(text);
  if (scheme) return text.slice(scheme[0].length);
  if (text.startsWith('/') && !text.startsWith('//')) return text;
  const rest = text.replace(/^\/\//, '');
  const end = rest.indexOf('/');
  const first = end < 0 ? rest : rest.slice(0, end);
  const isHost = first.length <= 255 && HOST.test(first) && stripExtension(first) === first;
  return isHost && (end >= 0 || first.startsWith('www.')) ? rest.slice(first.length) : text;
}

/** Drops what follows the first `?` or `#`. */
function dropQuery(text: string): string {
  const end = text.search(/[?#]/);
  return end < 0 ? text : text.slice(0, end);
}

/** Drops a query that hid behind encoding (`%3Fa=1`) or lost its `?` (`/page&a=1`). */
function dropHiddenQuery(text: string): string {
  const end = text.search(/[?&][\p{L}\p{N}_.-]{1,40}=/u);
  return end < 0 ? text : text.slice(0, end);
}

/** HTML entities that careless templates and copying leave in links; what they stand for separates words. */
function dropEntities(text: string): string {
  return text
    .replace(/&(?:apos|#0?39|#x27|rsquo|#8217);/gi, "'")
    .replace(/&(?:amp|nbsp|quot|lt|gt|[lr]dquo|lsquo|[mn]dash|#\d{1,6}|#x[0-9a-f]{1,5});/gi, ' ');
}

/** What a link picked up at its ends in prose or code: quotes, brackets, commas, full stops, blanks. */
function trimJunk(segment: string): string {
  let start = -1;
  let end = 0;
  for (const match of segment.matchAll(WORD_RUN)) {
    if (start < 0) start = match.index;
    end = match.index + match[0].length;
  }
  return start < 0 ? '' : segment.slice(start, end);
}

/**
 * The segments of a path as people would read them: scheme, host, query, fragment and matrix parameters dropped,
 * percent-encoding undone (nested, too), `.`, `..` and empty segments resolved, junk trimmed; case kept.
 * A segment without a letter or digit is none.
 */
export function pathSegments(raw: string): string[] {
  // Entities first: the # of `&#39;` begins no fragment.
  const decoded = decodePercent(dropQuery(dropHost(dropEntities(raw.slice(0, MAX_PATH_LENGTH)).trim())));
  const text = dropHiddenQuery(dropHost(dropEntities(decoded)))
    .replace(/\p{Cf}+/gu, '')
    .replace(/[\p{Cc}\p{Cs}]/gu, ' ')
    .replace(/\\/g, '/')
    .replace(/;(?:jsessionid|[\p{L}\p{N}_.-]{1,40}=)[^/]*/giu, '')
    // Bytes that were no UTF-8, and an escape that was cut off: as words they would read `e9`, `2`.
    .replace(/%[89a-f][0-9a-f]|%[0-9a-f]?$/gi, ' ');
  const segments: string[] = [];
  for (const part of text.split('/')) {
    if (part === '..') segments.pop();
    else if (part !== '.') segments.push(part);
  }
  return segments
    .map(trimJunk)
    .filter((segment) => segment !== '')
    .slice(-MAX_DEPTH);
}
