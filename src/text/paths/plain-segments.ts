import { isIndexFile, stripExtension } from './path-noise.js';
import { pathSegments } from './path-segments.js';
import { foldLetters } from '../words/fold-letters.js';

const SEPARATORS = /[^\p{L}\p{N}\p{M}]+/gu;

/** A fast path for most paths, which need no decoding: parsing is most of a comparison's time. */
const ORDINARY_PATH = /^(?:\/[a-z0-9][a-z0-9_.-]*)*\/?$/i;

/**
 * A path's segments for comparison by characters: decoded, lower case, without extensions and index files. `decoded`:
 * the path's {@link pathSegments}, if the caller has them.
 */
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

/** Segments in the letters that slugs are written in: `/über-uns` and `/uber-uns` are one path to compare. */
export function comparedSegments(plain: readonly string[]): string[] {
  return plain.map(foldLetters);
}
