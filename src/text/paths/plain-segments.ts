import { isIndexFile, stripExtension } from './path-noise.js';
import { pathSegments } from './path-segments.js';

const SEPARATORS = /[^\p{L}\p{N}\p{M}]+/gu;

/** Most paths need no decoding, and reading them is most of a comparison's time. */
const ORDINARY_PATH = /^(?:\/[a-z0-9][a-z0-9_.-]*)*\/?$/i;

/**
 * A path's segments to compare by their characters: decoded, lower case, without endings and index files. `decoded`:
 * its {@link pathSegments}, where the caller has them.
 */
export function plainSegments(path: string, decoded?: readonly string[]): string[] {
  const ordinary = path.length <= 512 && ORDINARY_PATH.test(path);
  const segments = ordinary
    ? path.split('/').filter((segment) => segment !== '')
    : [...(decoded ?? pathSegments(path))];
  if (segments.length > 0 && isIndexFile(segments.at(-1) ?? '')) segments.pop();
  // Pagination names no page of its own: `/news/page/2` is about `/news`.
  if (segments.length > 2 && segments.at(-2)?.toLowerCase() === 'page' && /^\d+$/.test(segments.at(-1) ?? ''))
    segments.splice(-2);
  return segments.map((segment) =>
    stripExtension(segment)
      .toLowerCase()
      .replace(ordinary ? /[_.-]+/g : SEPARATORS, '-'),
  );
}
