import { decodePercent } from './percent.js';
import { stripExtension } from './path-noise.js';
import { cutMarks } from '../words/split-words.js';

/** Longer paths are cut. The API accepts half of this. */
const MAX_PATH_LENGTH = 4096;

/** Of deeper paths only the last segments are read; real paths have up to about 12. */
const MAX_DEPTH = 64;

const WORD_RUN = /[\p{L}\p{N}\p{M}]+/gu;
const HOST = /^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}(?::\d{1,5})?$/u;

/**
 * Drops scheme and host. Without a scheme, the first part is a host only if it looks like one and is not a file:
 * `//example.com/a` and `example.com/a` have a host, `//docs/a` is a path with a doubled slash.
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

/** A path as it was written, without scheme, host, query and fragment. */
export function barePath(raw: string): string {
  return dropQuery(dropHost(raw));
}

function dropQuery(text: string): string {
  const end = text.search(/[?#]/);
  return end < 0 ? text : text.slice(0, end);
}

/** Drops a query that was encoded (`%3Fa=1`) or has lost its `?` (`/page&a=1`). */
function dropHiddenQuery(text: string): string {
  const end = text.search(/[?&][\p{L}\p{N}_.-]{1,40}=/u);
  return end < 0 ? text : text.slice(0, end);
}

/** Replaces HTML entities, left in links by templates and copying, with separators. */
function replaceEntities(text: string): string {
  return text
    .replace(/&(?:apos|#0?39|#x27|rsquo|#8217);/gi, "'")
    .replace(/&(?:amp|nbsp|quot|lt|gt|[lr]dquo|lsquo|[mn]dash|#\d{1,6}|#x[0-9a-f]{1,5});/gi, ' ');
}

/** Trims what a link picks up in prose or code: quotes, brackets, commas, full stops, spaces. */
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
 * The segments of a path as people read them: without scheme, host, query, fragment and matrix parameters, with
 * percent-encoding decoded (nested, too), `.` and `..` resolved, and junk trimmed. Case is kept. Segments without a
 * letter or digit are dropped.
 */
export function pathSegments(raw: string): string[] {
  // Entities first: the # of `&#39;` would begin a fragment.
  const decoded = decodePercent(dropQuery(dropHost(replaceEntities(raw.slice(0, MAX_PATH_LENGTH)).trim())));
  // Keyboards and file systems write one letter in two ways: `é` as one character or as two.
  const text = cutMarks(dropHiddenQuery(dropHost(replaceEntities(decoded))))
    .normalize('NFC')
    .replace(/\p{Cf}+/gu, '')
    .replace(/[\p{Cc}\p{Cs}]/gu, ' ')
    .replace(/\\/g, '/')
    .replace(/;(?:jsessionid|[\p{L}\p{N}_.-]{1,40}=)[^/]*/giu, '')
    // Bytes that are not UTF-8, and a truncated escape, would otherwise become words such as `e9` and `2`.
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
