/**
 * File extensions of technologies and formats. Without `js` and `net`: `node.js` and `asp.net` are names.
 */
const EXTENSIONS = new Set(
  (
    'html htm xhtml shtml shtm phtml php php3 php4 php5 asp aspx ashx asmx jsp jspx jsf do action cfm cfml ' +
    'cgi pl fcgi nsf dll exe md mdx markdown rst adoc txt rtf pdf ps epub doc docx xls xlsx ppt pptx odt ods ' +
    'odp csv tsv xml json yml yaml rss atom amp css scss png jpg jpeg gif svg webp avif ico bmp tif tiff zip ' +
    'gz tgz tar rar mp3 mp4 mov avi webm wav ics vcf woff woff2 ttf bak old orig tmp'
  ).split(' '),
);

/** File names of a folder's own page. */
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

export const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
/**
 * A date at the start of a slug. Months and days are not checked, because editors write 2022-28-06 and 2024-09-31. In
 * the compact form they are: eight digits may be anything.
 */
const LEADING_DATE = new RegExp(
  '^(?:\\d{4}[-_.+~ ]{1,2}\\d{1,2}[-_.+~ ]{1,2}\\d{1,2}|\\d{1,2}[-_.+~ ]{1,2}\\d{1,2}[-_.+~ ]{1,2}(?:19|20)\\d\\d' +
    '|(?:19|20)\\d\\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\\d|3[01]))(?!\\d)',
);
const TRAILING_DATE =
  /(?<!\d)(?:(?:19|20)\d\d[-_. ]\d{1,2}[-_. ]\d{1,2}|(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))$/;
/** A week of ISO 8601, with its day or without: `2016-W50`, `2016W503`. */
const WEEK = /(?<![\p{L}\p{N}])(?:19|20)\d\d-?W(?:0[1-9]|[1-4]\d|5[0-3])(?:-?[1-7])?(?![\p{L}\p{N}])/giu;
const ID_PARAMETER = /(?<![\p{L}\p{N}])[a-z_]{1,12}=\d+/giu;
const TOKEN = /[\p{L}\p{N}\p{M}'’ʼ]+/gu;

/** How often a token changes between letters and digits: `fy20q3` three times, random strings more often. */
function alternations(token: string): number {
  return (token.match(/\d(?=\p{L})|\p{L}(?=\d)/gu) ?? []).length;
}

/** Whether a token is an id, not a word: a long number, a hash, a random string. */
function isId(token: string): boolean {
  // Four digits may have a meaning (`form-1040`, `2024-budget`); five or more are a machine's counter.
  if (/^\d+$/.test(token)) return token.length >= 5;
  if (!/^[0-9a-z]+$/i.test(token)) return false;
  if (/^[0-9a-f]+$/i.test(token)) {
    const changes = alternations(token);
    if ((token.length >= 8 && changes >= 3) || (token.length >= 16 && changes >= 1)) return true;
  }
  return token.length >= 10 && alternations(token) >= 4;
}

/** Whether a part of a segment is an id of letters and digits that a machine made; shorter ones are of hex digits. */
export function isMachineId(part: string): boolean {
  if (!/\d/.test(part) || !/[a-z]/.test(part)) return false;
  return isId(part) || (/^[0-9a-f]{6,}$/.test(part) && (part.length >= 8 || alternations(part) >= 2));
}

/**
 * A segment without extension, dates, ids and hashes; '' if no letter is left. Numbers beside letters stay (`web-3`,
 * `2024-budget`), because they tell pages apart. Digits alone are an id or part of a date.
 */
export function meaningfulPart(segment: string): string {
  const bare = stripExtension(segment).replace(UUID, ' ').replace(ID_PARAMETER, ' ').replace(WEEK, ' ');
  const dateless = bare.replace(LEADING_DATE, ' ').replace(TRAILING_DATE, ' ');
  const tokens = (dateless.match(TOKEN) ?? []).filter((token) => !isId(token));
  return tokens.some((token) => /\p{L}/u.test(token)) ? tokens.join(' ') : '';
}
