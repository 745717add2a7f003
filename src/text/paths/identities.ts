import { dropTracking, comparedSegments, plainSegments } from './plain-path.js';
import { areNear, canBeSameDate, dateAt, type PathDate } from './dates.js';
import { type DateToken, numberOfWord, LABELS, otherMember, seriesOf, type SeriesMembers } from './number-words.js';
import { idsOf, otherCode } from './codes.js';
import { barePath, decodePercent } from './path-segments.js';

/** A number in a path, with the words before and after it. */
interface PlacedNumber {
  text: string;
  before: string;
  after: string;
  /** The number is in the last segment, which names the page. */
  isLast: boolean;
  /** The number is the first token of its segment (isStart), or the last (isEnd). */
  isStart: boolean;
  isEnd: boolean;
  /** The number is written as a word: `two`, `ii`. */
  isWord: boolean;
}

interface PlacedDate extends PathDate {
  isLast: boolean;
  /** It has a month or day, and is before the page's name: when it was published, not what it is about. */
  isPublished: boolean;
}

/** These parts of a path tell its page from others with the same words: numbers, dates, versions, codes, the query. */
export interface Identities {
  /** See {@link comparedSegments}. */
  segments: readonly string[];
  dates: readonly PlacedDate[];
  numbers: readonly PlacedNumber[];
  /** The words and numbers of the last segment that are no date. */
  name: readonly string[];
  /** The members of series, such as ordinals and months, that the words outside of dates name: see {@link seriesOf}. */
  series: SeriesMembers;
  /** See {@link idsOf}. */
  ids: ReadonlySet<string>;
  /** Parameters of the query string that choose a page. */
  query: ReadonlyMap<string, string>;
  /** The last segment is nothing but an identity: `/get-started/2`, `/projects/qrs-417`, `/reports/2023`. */
  isBare: boolean;
  /** The last segment, if capitals matter in it: `/s/aB3`. */
  token: string;
}

/** The max tokens, the last of a path, because each number is compared with each. No real path has more. */
const MAX_TOKENS = 64;
const BARE_CODE = /^(?:[a-z]{1,5}-?\d{3,}|[a-z]{1,3}\d{2,})$/;
/** Pages with so many words in one name are hardly ever two pages; SOME_WORDS if the dates of both are near. */
const [MANY_WORDS, SOME_WORDS] = [5, 3];
const TOKEN = /^(?=.*\d)(?=.*[a-z])(?=.*[a-z\d][A-Z])(?!.*[a-z]{3})[A-Za-z0-9]{3,24}$/;
/** Parameters that change how a page is shown, not which one. */
const NO_IDENTITY =
  /^(?:(?:sort|order)(?:by)?|dir|paged?|per_?page|limit|offset|start|view|print|format|output|ref|referrer|source|from|amp|replytocom|share|phpsessid|jsessionid|session_?id|sid|v|ver|ts?|_.*|q|query|s|search|highlight)$/i;
/** Parameters that select a page. */
const NAMES_PAGE =
  /^(?:p|pid|nid|cid|cat|category|tag|code|sku|no|nr|num|number|year|date|version|item|product|article|post|story|news|topic|.*_?id)$/i;

/** `segments`: the path's {@link comparedSegments}. */
export function readIdentities(path: string, segments: readonly string[]): Identities {
  const last = segments.length - 1;
  const tokens = segments
    .flatMap((segment, at) => {
      const texts = segment.match(/\d+|[^\d-]+/g) ?? [];
      return texts.map((text): DateToken => ({ text, segment: at, isWhole: texts.length === 1 }));
    })
    .slice(-MAX_TOKENS);
  const dates: PlacedDate[] = [];
  const name: string[] = [];
  const words: string[] = [];
  const numbers: PlacedNumber[] = [];
  let wordsInLast = 0;
  for (let at = 0; at < tokens.length;) {
    const [token, foundDate] = [tokens[at] as DateToken, dateAt(tokens, at)];
    const isLast = token.segment === last;
    if (foundDate) {
      const isPublished = foundDate.date.month !== undefined && (!isLast || tokens[at - 1]?.segment !== last);
      dates.push({ ...foundDate.date, isPublished, isLast: tokens[at + foundDate.length - 1]?.segment === last });
    }
    if (!foundDate || foundDate.isDoubtful === true) {
      if (!foundDate && /^\p{L}/u.test(token.text)) words.push(token.text);
      if (isLast) name.push(token.text);
      const text = /^\d/.test(token.text) ? token.text.replace(/^0+(?=\d)/, '') : numberOfWord(tokens, at);
      const [before, after] = [tokens[at - 1], tokens[at + 1]];
      if (text !== undefined)
        numbers.push({
          text,
          before: before?.text ?? '',
          after: after?.text ?? '',
          isLast,
          isStart: before?.segment !== token.segment,
          isEnd: after?.segment !== token.segment,
          isWord: !/^\d/.test(token.text),
        });
      else if (isLast && !LABELS.has(token.text)) wordsInLast++;
    }
    at += foundDate && foundDate.isDoubtful !== true ? foundDate.length : 1;
  }
  const slug = segments[last] ?? '';
  const written = barePath(path)
    .split('/')
    .findLast((segment) => segment !== '');
  return {
    segments,
    dates,
    numbers,
    name,
    series: seriesOf(words),
    ids: idsOf(segments),
    query: readQuery(path),
    isBare:
      slug !== '' &&
      (/\d/.test(slug) || numbers.at(-1)?.isLast === true) &&
      (wordsInLast === 0 || BARE_CODE.test(slug)),
    token: TOKEN.exec(written ?? '')?.[0] ?? '',
  };
}

function readQuery(path: string): ReadonlyMap<string, string> {
  const at = path.indexOf('?');
  if (at < 0) return NOTHING;
  const [query = ''] = dropTracking(path.slice(at)).slice(1).split('#', 1);
  const pairs = query
    .split('&')
    .slice(0, MAX_TOKENS)
    .map((pair) => decodePercent(pair.replaceAll('+', ' ')).toLowerCase())
    .map((pair) => [pair.split('=', 1)[0] ?? '', pair.slice(pair.indexOf('=') + 1)] as const);
  return new Map(pairs.filter(([name]) => name !== '' && !NO_IDENTITY.test(name)));
}

const NOTHING: ReadonlyMap<string, string> = new Map();

/**
 * Whether a live page contradicts the identity of a dead path: it has another number, date, version, code or id in that
 * place. A page that only lacks the identity does not contradict it, unless the last segment of the dead path has
 * nothing else.
 */
export function contradicts(dead: Identities, live: Identities): boolean {
  if (otherQuery(dead, live) || otherCode(dead, live) || otherMember(dead.series, live.series)) return true;
  if (areJoined(dead, live)) {
    const [deadRest, liveRest] = [withoutLast(dead), withoutLast(live)];
    return otherNumber(deadRest.numbers, liveRest.numbers) || otherDate(deadRest, liveRest);
  }
  return otherNumber(dead.numbers, live.numbers) || otherDate(dead, live) || (dead.isBare && !isNamed(dead, live));
}

/** {@link contradicts} for the path of a live page as its url has it. */
export function isContradictedBy(dead: Identities, path: string): boolean {
  return contradicts(dead, readIdentities(path, comparedSegments(plainSegments(path))));
}

/** Whether the last segments have the same digits, but one lost what stood between: `ruby223` for `ruby-2-2-3`. */
function areJoined({ segments: dead }: Identities, { segments: live }: Identities): boolean {
  const [deadRuns, liveRuns] = [dead, live].map((segments) => segments.at(-1)?.match(/\d+/g) ?? []);
  if (deadRuns?.length === liveRuns?.length || (deadRuns?.length !== 1 && liveRuns?.length !== 1)) return false;
  return deadRuns?.join('') === liveRuns?.join('');
}

function withoutLast(identities: Identities): Identities {
  return {
    ...identities,
    dates: identities.dates.filter(({ isLast }) => !isLast),
    numbers: identities.numbers.filter(({ isLast }) => !isLast),
  };
}

function otherDate(dead: Identities, live: Identities): boolean {
  if (dead.dates.length === 0 || live.dates.length === 0) return false;
  const lacking = (all: readonly PlacedDate[], counterparts: readonly PathDate[]): PlacedDate[] =>
    all.filter((date) => !counterparts.some((other) => canBeSameDate(date, other)));
  const [missing, added] = [lacking(dead.dates, live.dates), lacking(live.dates, dead.dates)];
  if (missing.length === 0 || added.length === 0) return false;
  if (![...missing, ...added].every(({ isPublished }) => isPublished)) return true;
  const areNearDates = missing.every((date) => added.some((other) => areNear(date, other)));
  return !namesItself(dead, live, areNearDates);
}

/**
 * Whether two pages have one name that hardly two pages have: with a number in it, or with many words. Editors change
 * the date of such a page. With a short name, such as `weekly-update`, the date distinguishes the pages.
 */
function namesItself(dead: Identities, live: Identities, areNearDates: boolean): boolean {
  if (dead.name.join('-') !== live.name.join('-')) return false;
  const words = dead.name.filter((text) => /\p{L}/u.test(text)).length;
  if (words >= (areNearDates ? SOME_WORDS : MANY_WORDS)) return true;
  return words >= 2 && dead.numbers.some(({ isLast }) => isLast);
}

function otherNumber(dead: readonly PlacedNumber[], live: readonly PlacedNumber[]): boolean {
  if (dead.length === 0 || live.length === 0) return false;
  const left = [...live];
  const lacking = (all: readonly PlacedNumber[], isSame: (number: PlacedNumber, other: PlacedNumber) => boolean) =>
    all.filter((number) => {
      const at = left.findIndex((other) => number.text === other.text && isSame(number, other));
      if (at >= 0) left.splice(at, 1);
      return at < 0;
    });
  // Numbers after the same word are paired first: in `season-1/episode-1` and `season-2/episode-1` the episodes are the
  // same, and the seasons differ.
  const elsewhere = lacking(dead, (number, other) => number.before === other.before);
  const missing = lacking(elsewhere, () => true);
  return missing.some((number) => left.some((other) => isSamePlace(number, other)));
}

function isSamePlace(number: PlacedNumber, other: PlacedNumber): boolean {
  if (number.before === other.before || (number.after !== '' && number.after === other.after)) return true;
  if (!number.isLast || !other.isLast) return false;
  return (number.isStart && other.isStart) || (number.isEnd && other.isEnd);
}

function otherQuery(dead: Identities, live: Identities): boolean {
  if (dead.query.size === 0 && live.query.size === 0) return false;
  const shared = [...dead.query].filter(([name]) => live.query.has(name));
  if (shared.length > 0) return shared.some(([name, value]) => live.query.get(name) !== value);
  const [deadIds, liveIds] = [dead, live].map(({ query }) => [...query].filter(([name]) => NAMES_PAGE.test(name)));
  // `/item` may mean any of the pages `/item?id=…`.
  if (deadIds?.length === 0) return liveIds?.length !== 0 && dead.segments.join('/') === live.segments.join('/');
  return liveIds?.length !== 0;
}

/** Whether the live path has the dead path's bare identity, or the words before it, which name the page as well. */
function isNamed(dead: Identities, live: Identities): boolean {
  const slug = dead.segments.at(-1) ?? '';
  const all = dead.numbers.filter(({ isLast }) => isLast);
  const digits = all.filter(({ isWord }) => !isWord);
  const wanted = digits.length > 0 ? digits : all;
  if (live.segments.includes(slug)) return true;
  if (wanted.length > 0)
    return wanted.every(({ text }) => live.numbers.some((other) => other.text === text)) || isLongId(slug, dead, live);
  return live.dates.length > 0;
}

/** Five digits and more are a machine's counter, which a page may lose: `/news/storm-hits-town/48213`. */
function isLongId(slug: string, dead: Identities, live: Identities): boolean {
  const before = dead.segments.at(-2) ?? '';
  return /^\d{5,}$/.test(slug) && before.split('-').length >= 3 && live.segments.at(-1) === before;
}
