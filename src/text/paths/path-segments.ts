import { cutMarks } from '../words/split-words.js';

/** A character of UTF-8 in percent-encoding, `%XX` for each byte. Other bytes stay encoded. */
const CHARACTER =
  /%[0-7][0-9a-f]|%(?:c[2-9a-f]|d[0-9a-f])%[89ab][0-9a-f]|%e[0-9a-f](?:%[89ab][0-9a-f]){2}|%f[0-4](?:%[89ab][0-9a-f]){3}/gi;

/** Decodes a {@link CHARACTER}; keeps overlong forms and encoded surrogates, which decodeURIComponent refuses. */
function decodeOrKeep(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

/** Percent-decodes repeatedly, as copied links are often encoded twice; deeper nesting is an attack. Never throws. */
export function decodePercent(text: string, rounds = 3): string {
  let decoded = text;
  if (!text.includes('%')) return text;
  for (let round = 0; round < rounds; round++) {
    const next = decoded.replace(CHARACTER, decodeOrKeep);
    if (next === decoded) break;
    decoded = next;
  }
  return decoded;
}

/** File extensions of technologies and formats. Without `js` and `net`: `node.js` and `asp.net` are names. */
const EXTENSIONS = new Set(
  (
    'html htm xhtml shtml shtm phtml php php3 php4 php5 asp aspx ashx asmx jsp jspx jsf do action cfm cfml ' +
    'cgi pl fcgi nsf dll exe md mdx markdown rst adoc txt rtf pdf ps epub doc docx xls xlsx ppt pptx odt ods ' +
    'odp csv tsv xml json yml yaml rss atom amp css scss png jpg jpeg gif svg webp avif ico bmp tif tiff zip ' +
    'gz tgz tar rar mp3 mp4 mov avi webm wav ics vcf woff woff2 ttf bak old orig tmp'
  ).split(' '),
);

/** The names, without extension, of the file that is the page of its folder. */
const INDEX_NAMES = new Set(['index', 'default']);

/** Drops up to two known extensions: `archive.tar.gz`, `page.html.bak`. The result is never empty. */
export function stripExtension(segment: string): string {
  let stem = segment;
  for (let round = 0; round < 2; round++) {
    const dot = stem.lastIndexOf('.');
    if (dot <= 0 || !EXTENSIONS.has(stem.slice(dot + 1).toLowerCase())) break;
    stem = stem.slice(0, dot);
  }
  return stem;
}

/** Whether a segment names its folder's own page: `index.html`, `Default.aspx`, `index.en.html`, `index`. */
export function isIndexFile(segment: string): boolean {
  const stem = stripExtension(segment).toLowerCase();
  return INDEX_NAMES.has(stem.replace(/\.[a-z]{2}$/, ''));
}

/** A longer path is cut to this number of characters. The API accepts half of this. */
const MAX_PATH_LENGTH = 4096;

/** Only the last segments of a path are read, up to this number; real paths have up to about 12. */
const MAX_DEPTH = 64;

/** Matches from the first character of a word to the last. */
const WORDS = /[\p{L}\p{N}\p{M}](?:.*[\p{L}\p{N}\p{M}])?/su;
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

/** Returns a path as it was written, without scheme, host, query and fragment. */
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
  if (!text.includes('&')) return text;
  return text
    .replace(/&(?:apos|#0?39|#x27|rsquo|#8217);/gi, "'")
    .replace(/&(?:amp|nbsp|quot|lt|gt|[lr]dquo|lsquo|[mn]dash|#\d{1,6}|#x[0-9a-f]{1,5});/gi, ' ');
}

/** Trims characters around links in prose or code: quotes, brackets, commas, full stops, spaces. */
function trimJunk(segment: string): string {
  return WORDS.exec(segment)?.[0] ?? '';
}

/** Most paths match, and have nothing to decode, to resolve or to trim. */
const ORDINARY = /^(?:\/[a-z0-9](?:[a-z0-9_.-]*[a-z0-9])?)+\/?$/i;

/**
 * The segments of a path as people read them: without scheme, host, query, fragment and matrix parameters, with
 * percent-encoding decoded (nested, too), `.` and `..` resolved, and junk trimmed. Case is kept. Segments without a
 * letter or digit are dropped.
 */
export function pathSegments(raw: string): string[] {
  if (raw.length <= MAX_PATH_LENGTH && ORDINARY.test(raw))
    return raw
      .split('/')
      .filter((segment) => segment !== '')
      .slice(-MAX_DEPTH);
  // Entities are replaced first: the # of `&#39;` would begin a fragment.
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
  for (const part of text.split('/'))
    if (part === '..') segments.pop();
    else if (part !== '.') segments.push(part);
  return segments
    .map(trimJunk)
    .filter((segment) => segment !== '')
    .slice(-MAX_DEPTH);
}
