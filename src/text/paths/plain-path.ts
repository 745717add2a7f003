import { createHash } from 'node:crypto';
import { plainSegments } from './plain-segments.js';

/** A path as moves compare it. */
export interface PlainPath {
  /** Decoded, lower case, one kind of separator; without endings, index files, empty segments, scheme and host. */
  segments: string[];
  /** Without the question mark; '' for none. */
  query: string;
}

/** Of a deeper path the last segments are read, as everywhere. */
const MAX_DEPTH = 64;

/** `read`: its {@link plainSegments}, where the caller has them. */
export function plainPath(raw: string, read: readonly string[] = plainSegments(raw)): PlainPath {
  const segments = read.map((segment) => segment.replace(/^-|-$/g, ''));
  return {
    segments: segments.filter((segment) => segment !== '').slice(-MAX_DEPTH),
    query: /\?([^#]*)/.exec(raw)?.[1] ?? '',
  };
}

/** `['a', 'b']` is `/a/b`; no segments are ''. */
export function joinSegments(segments: readonly string[]): string {
  return segments.map((segment) => `/${segment}`).join('');
}

/** The key of a plain path in the database: its SHA-256. */
export function hashPlainPath(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** The key of a path with its query string. `/a/b.html` and `/A/b/` have one key, `/a/b?id=1` has another. */
export function pathKey(raw: string): Buffer {
  const { segments, query } = plainPath(raw);
  return hashPlainPath(joinSegments(segments) + (query === '' ? '' : `?${query}`));
}

/** A beginning of a path, as section moves name it, and the rest. */
export interface SplitPath {
  prefix: string;
  /** Begins with a slash; never empty. */
  tail: string;
}

/** A number in a prefix, which stands for any: the years and months of a dated blog. No plain segment is one. */
const ANY_NUMBER = '#';

export function isNumber(segment: string): boolean {
  return /^\d+$/.test(segment);
}

/**
 * Every way to part a path into a prefix and at least one more segment, longest prefix first; a prefix with numbers
 * comes as it is and then with each number as `#`.
 */
export function splitsOf(segments: readonly string[]): SplitPath[] {
  const splits: SplitPath[] = [];
  for (let length = segments.length - 1; length >= 0; length--) {
    const prefix = segments.slice(0, length);
    const tail = joinSegments(segments.slice(length));
    splits.push({ prefix: joinSegments(prefix), tail });
    if (prefix.some(isNumber)) splits.push({ prefix: anyNumbers(prefix), tail });
  }
  return splits;
}

/** A prefix with each of its numbers as `#`. */
export function anyNumbers(prefix: readonly string[]): string {
  return joinSegments(prefix.map((segment) => (isNumber(segment) ? ANY_NUMBER : segment)));
}
