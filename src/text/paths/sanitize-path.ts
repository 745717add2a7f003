import type { PathWords } from '../../base/glossary.js';
import { cutText } from '../cut-text.js';
import { isLocale } from './locales.js';
import { isIndexFile, meaningfulPart, stripExtension } from './path-noise.js';
import { pathSegments } from './path-segments.js';
import { splitCased, splitWords } from '../words/split-words.js';

/** More than any real path has. Of longer paths the last words are read, which name the page. */
const MAX_WORDS = 128;

/** Titles made from a path are cut here; the longest slugs of real sites are about half as long. */
const MAX_TITLE_LENGTH = 200;

/** Drops the segments that name no subject: a folder's own page, and pagination. */
function namingSegments(segments: readonly string[]): string[] {
  return segments.filter((segment, i) => {
    if (isIndexFile(segment)) {
      // Before the end, `default` or `index` may be a subject; with an extension (`index.php/docs`) it is a script.
      return i < segments.length - 1 && stripExtension(segment) === segment;
    }
    const isLast = i === segments.length - 1;
    if (isLast && i > 0 && stripExtension(segment).toLowerCase() === 'home') return false;
    return !(i > 0 && segment.toLowerCase() === 'page' && /^\d+$/.test(segments[i + 1] ?? ''));
  });
}

/**
 * The searchable words of a dead path: without scheme, host, query, fragment, extension, index file, dates, ids, hashes
 * and locale; decoded, in lower case, split at separators and camelCase. Empty if nothing searchable is left. A segment
 * that could be a word stays if it is the only one: `/en/` gives `en`, `/home` gives `home`.
 */
export function sanitizePath(raw: string, decoded: readonly string[] = pathSegments(raw)): PathWords {
  const segments = namingSegments(decoded);
  const words = segments.map((segment) => splitWords(meaningfulPart(segment)));
  const [first] = segments;
  if (first !== undefined && isLocale(first) && words.slice(1).some((list) => list.length > 0)) words[0] = [];
  const slug = words.findLast((list) => list.length > 0) ?? [];
  return { words: words.flat().slice(-MAX_WORDS), slug: slug.slice(-MAX_WORDS) };
}

function shorten(text: string): string {
  return text.length <= MAX_TITLE_LENGTH ? text : `${cutText(text, MAX_TITLE_LENGTH)}…`;
}

/**
 * Makes a title for a page that has none from its last segment: `/help/return-an-item.html` gives `Return an item`. A
 * number gets its folder's name: `/bulletins/018/` gives `Bulletins 018`. A path without readable words is its own
 * title.
 */
export function makeTitle(path: string): string {
  const segments = namingSegments(pathSegments(path)).map(stripExtension);
  const readable = segments.map((segment) => splitCased(meaningfulPart(segment)).join(' '));
  const last = readable.findLastIndex((text) => text !== '');
  const number = segments.length - 1 === last + 1 ? (segments[last + 1] ?? '') : '';
  const text = [readable[last] ?? '', /^\d{1,6}$/.test(number) ? number : ''].filter(Boolean).join(' ');
  if (last < 0 || text === '') return shorten(path.trim()) || '/';
  const initial = String.fromCodePoint(text.codePointAt(0) ?? 0);
  return shorten(initial.toUpperCase() + text.slice(initial.length));
}
