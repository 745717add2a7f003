import { stripExtension, isIndexFile, pathSegments } from './path-segments.js';
import type { PathWords } from '../../base/glossary.js';
import { cutText } from '../cut-text.js';
import { splitCased, splitWords } from '../words/split-words.js';

export const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
/**
 * A date at the start of a slug. Months and days are not checked, because editors write 2022-28-06 and 2024-09-31. In
 * the compact form they are checked, because eight digits may be anything.
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

/** Counts the changes between letters and digits in a token: `fy20q3` has three, random strings have more. */
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

/** Whether a part of a segment is an id that a machine made; with fewer than ten characters, a hexadecimal one. */
export function isMachineId(part: string): boolean {
  if (!/\d/.test(part) || !/[a-z]/.test(part)) return false;
  return isId(part) || (/^[0-9a-f]{6,}$/.test(part) && (part.length >= 8 || alternations(part) >= 2));
}

/** Most segments are such words, and have nothing to drop. */
const PLAIN_WORDS = /^[a-z]+(?:-[a-z]+)*$/;
const SHORTEST_UUID = 36;

/**
 * Returns a segment without extension, dates, ids and hashes; '' if no letter is left. Numbers next to letters stay
 * (`web-3`, `2024-budget`), because they distinguish pages. Digits alone are an id or part of a date.
 */
function meaningfulPart(segment: string): string {
  if (segment.length < SHORTEST_UUID && PLAIN_WORDS.test(segment)) return segment.replaceAll('-', ' ');
  const bare = stripExtension(segment).replace(UUID, ' ').replace(ID_PARAMETER, ' ').replace(WEEK, ' ');
  const dateless = bare.replace(LEADING_DATE, ' ').replace(TRAILING_DATE, ' ');
  const tokens = (dateless.match(TOKEN) ?? []).filter((token) => !isId(token));
  return tokens.some((token) => /\p{L}/u.test(token)) ? tokens.join(' ') : '';
}

/** ISO 639-1 codes of languages that sites are commonly published in. */
const LANGUAGES = new Set(
  (
    'af am ar az be bg bn bs ca cs cy da de el en es et eu fa fi fil fr ga gl gu he hi hr hu hy id is it ja ' +
    'ka kk km kn ko ky lo lt lv mk ml mn mr ms mt my nb ne nl nn no pa pl ps pt ro ru si sk sl so sq sr sv sw ' +
    'ta te th tl tr uk ur uz vi zh zu'
  ).split(' '),
);

/** These codes, without a region, are more likely a word or a department: `/hr/`, `/my/`, `/is/`. */
const AMBIGUOUS = new Set('am be hr id is lo ms my no pa so'.split(' '));

const SCRIPTS = new Set(['hans', 'hant', 'latn', 'cyrl', 'arab']);

/** ISO 3166-1 codes of countries, and the UN's number for Latin America. */
const REGIONS = new Set(
  (
    'ae af al am ar at au az ba bd be bg bh bo br by ca ch cl cn co cr cy cz de dk do dz ec ee eg es fi fr gb ' +
    'ge gr gt hk hn hr hu id ie il in iq ir is it jo jp ke kh kr kw kz la lb lk lt lu lv ly ma md me mk mm mt ' +
    'mx my ng ni nl no np nz om pa pe ph pk pl pr pt py qa ro rs ru sa se sg si sk sv sy th tn tr tw ua ug uk ' +
    'us uy uz ve vn ye za zw 419'
  ).split(' '),
);

/**
 * The language that one of a path's first two segments names, such as `pl` of `/pl-pl/docs`; '' if none does. The last
 * segment names a page, unless it is the only one: `/pl` is where the Polish pages begin.
 */
export function languageOf(segments: readonly string[]): string {
  const locale = segments
    .slice(0, 2)
    .find((segment, at) => (at < segments.length - 1 || segments.length === 1) && isLocale(segment));
  return locale?.slice(0, locale.search(/[-_]|$/)) ?? '';
}

const TRADITIONAL = /[-_](?:hant|tw|hk|mo)\b/i;

/**
 * Whether two paths begin with different languages, `/fr/docs` and `/de/docs`. A code that may also be a word counts as
 * a code if the other path begins with a code, too: `/id/docs` and `/it/docs`. Chinese is written in two ways:
 * `/zh-cn/` and `/zh-tw/`.
 */
export function beginInOtherLanguages(dead: readonly string[], live: readonly string[]): boolean {
  const [a, b] = [dead, live].map(([first = '', ...rest]) => {
    const [language = ''] = first.toLowerCase().split(/[-_]/, 1);
    const isCode = rest.length > 0 && LANGUAGES.has(language) && (first.length === 2 || isLocale(first));
    return !isCode ? '' : language === 'zh' && TRADITIONAL.test(first) ? 'zh-hant' : language;
  });
  return a !== '' && b !== '' && a !== b;
}

/** Whether a segment is a locale: `en`, `en-us`, `de_DE`, `zh-hans`, `zh-Hant-TW`, `es-419`. */
function isLocale(segment: string): boolean {
  const [language = '', ...tags] = segment.toLowerCase().split(/[-_]/);
  if (!LANGUAGES.has(language) || tags.length > 2) return false;
  if (tags.length === 0) return !AMBIGUOUS.has(language);
  const region = SCRIPTS.has(tags[0] ?? '') ? tags.slice(1) : tags;
  return region.length === 0 || (region.length === 1 && REGIONS.has(region[0] ?? ''));
}

/** Only the last words of a path are read, up to this number, because they name the page. Real paths have fewer. */
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
