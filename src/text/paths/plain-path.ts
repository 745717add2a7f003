import { hash } from 'node:crypto';
import { plainSegments } from './plain-segments.js';
import { comparedQuery } from './query.js';

/** A path in the form in which moves are compared. */
export interface PlainPath {
  /** Decoded, lower case, one kind of separator; without extensions, index files, empty segments, scheme and host. */
  segments: string[];
  /** As parameters are compared, see {@link comparedQuery}; '' if there are none. */
  query: string;
}

const MAX_DEPTH = 64;

/** `read`: the path's {@link plainSegments}, if the caller has them. */
export function plainPath(raw: string, read: readonly string[] = plainSegments(raw)): PlainPath {
  const segments = read.map((segment) => segment.replace(/^-|-$/g, ''));
  return {
    segments: segments.filter((segment) => segment !== '').slice(-MAX_DEPTH),
    query: comparedQuery(/\?([^#]*)/.exec(raw)?.[1] ?? ''),
  };
}

/** `['a', 'b']` gives `/a/b`, an empty list gives ''. */
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

/** The key of the folder of a path; null at the root of the site. */
export function folderKey({ segments }: PlainPath): Buffer | null {
  return segments.length < 2 ? null : hashPlainPath(joinSegments(segments.slice(0, -1)));
}

/** A path split into the prefix that a section move names, and the rest. */
interface SplitPath {
  prefix: string;
  /** Begins with a slash; never empty. */
  tail: string;
}

/** A wildcard in a prefix for any number: the years and months of a blog. No plain segment contains it. */
const NUMBER_WILDCARD = '#';

export function isNumber(segment: string): boolean {
  return /^\d+$/.test(segment);
}

/**
 * Splits a path in every way into a prefix and at least one more segment, longest prefix first. A prefix with numbers
 * is followed by the same prefix with `#` for each number.
 */
export function splitPath(segments: readonly string[]): SplitPath[] {
  const splits: SplitPath[] = [];
  for (let length = segments.length - 1; length >= 0; length--) {
    const prefix = segments.slice(0, length);
    const tail = joinSegments(segments.slice(length));
    splits.push({ prefix: joinSegments(prefix), tail });
    if (prefix.some(isNumber)) splits.push({ prefix: maskNumbers(prefix), tail });
  }
  return splits;
}

/** Joins a prefix, with `#` for each number. */
export function maskNumbers(prefix: readonly string[]): string {
  return joinSegments(prefix.map((segment) => (isNumber(segment) ? NUMBER_WILDCARD : segment)));
}
