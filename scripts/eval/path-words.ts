import { decodePercent } from '#src/text/paths/path-segments.js';

const EXTENSION = /\.(?:html?|xhtml|php\d?|aspx?|jspx?|cfm|cgi|pl|do)$/i;

/** Words as they stand: lower case, split at whatever is neither letter nor digit. */
export function plainWords(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

/** A path without query string, percent-encoding, file extension and closing slashes, lower case. */
export function plainPath(path: string): string {
  const bare = path.replace(/^https?:\/\/[^/]*/i, '').replace(/[?#].*/s, '');
  return decodePercent(bare)
    .toLowerCase()
    .replace(/(?<!\/)\/+$/, '')
    .replace(EXTENSION, '');
}

/** A path without query string, file extension and closing slash, in the case as it stands. */
export function dropExtension(path: string): string {
  return path
    .replace(/[?#].*/s, '')
    .replace(/(?<!\/)\/+$/, '')
    .replace(EXTENSION, '');
}

/** The last segment of a path. */
export function slugOf(path: string): string {
  const plain = plainPath(path);
  return plain.slice(plain.lastIndexOf('/') + 1);
}

/** Jaccard index of two sets of words: common / all of both; 0 when both are empty. */
export function jaccard(words: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let common = 0;
  for (const word of words) if (other.has(word)) common++;
  return common / (words.size + other.size - common || 1);
}

/** The overlap of a redirect: Jaccard index of the words of both plain paths. */
export function overlapOf(oldPath: string, newPath: string): number {
  return jaccard(new Set(plainWords(plainPath(oldPath))), new Set(plainWords(plainPath(newPath))));
}
