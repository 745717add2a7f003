import { isMachineId, UUID } from './sanitize-path.js';

/** The parts of a path (see Identities) that may have codes, which distinguish its page from others. */
interface Coded {
  segments: readonly string[];
  /** The last segment, if capitals matter in it: `/s/aB3`. */
  token: string;
  /** See {@link idsOf}. */
  ids: ReadonlySet<string>;
}

const CODE = /^([a-z]{2,3})-(\d{2,})$/;
/** Digits with at most one letter before and one after them. Of two or more letters, one may be a typing error. */
const SHORT_CODE = /^[a-z]?(\d+)[a-z]?$/;
const ORDINAL = /(?<=\d)(?:st|nd|rd|th)$/;
const VERSION = /^v?(\d{1,3}(?:-\d+)*)$/;
/** A letter that counts, or a size of clothes, at the end of a segment: `gruppe-c`, `size-xl`. */
const LETTER = /^(?:[a-z]|x{1,3}[sl])$/;
/** Letters behind a number that are no part of a code: endings of ordinals, units, words, languages. */
const NO_CODE = new Set(
  (
    'st nd rd th er re te me ml cl dl kg mg km cm mm gb mb tb kb hz kw kv pm am px in on at to of or an as by if is it ' +
    'we en de fr es pt nl pl ru zh ja ko sv da no fi cs tr ar uk us eu'
  ).split(' '),
);

/** The ids of hexadecimal digits, or random letters and digits, that machines made: `5f3a9c2e` in `/u/5f3a9c2e`. */
export function idsOf(segments: readonly string[]): ReadonlySet<string> {
  const parts = segments.flatMap((segment) => segment.replace(UUID, (uuid) => uuid.replaceAll('-', '')).split('-'));
  return new Set(parts.filter(isMachineId));
}

/** Whether a live page has another code or version where the dead path has one. */
export function otherCode(dead: Coded, live: Coded): boolean {
  return otherToken(dead, live) || otherId(dead, live) || otherVersion(dead, live) || otherLetters(dead, live);
}

/**
 * Whether the last segments have different ids or codes: tokens of one length that differ, even in capitals alone; or
 * codes with the same number and other letters, not just in another order.
 */
function otherToken(dead: Coded, live: Coded): boolean {
  const [a, b] = [dead.segments.at(-1) ?? '', live.segments.at(-1) ?? ''];
  if (a === b) return dead.token !== live.token && (dead.token !== '' || live.token !== '');
  if (dead.token.length === live.token.length && dead.token !== live.token) return true;
  const [, letters = '', digits] = CODE.exec(a) ?? [];
  if (digits === undefined) return false;
  const [, liveLetters = '', liveDigits] = CODE.exec(b) ?? [];
  return digits === liveDigits && letters.length === liveLetters.length && sorted(letters) !== sorted(liveLetters);
}

function otherId({ ids: dead }: Coded, { ids: live }: Coded): boolean {
  if (dead.size === 0 || live.size === 0) return false;
  return [...dead].some((id) => !live.has(id)) && [...live].some((id) => !dead.has(id));
}

/** Only segments with a digit, or with a {@link LETTER} at the end, may have a code. The others are not compared. */
const MAY_COUNT = /\d|-(?:[a-z]|x{1,3}[sl])$/;

/**
 * Whether the letters of a code differ: `pump-x200` and `pump-y200`, `ab-12-c` and `ab-12-d`, `gruppe-c` and
 * `gruppe-d`, `form-1040-ez` and `form-1040`. It compares the last segments, or the folders of two paths whose last
 * segments are the same.
 */
function otherLetters({ segments: dead }: Coded, { segments: live }: Coded): boolean {
  const isRenamed = dead.at(-1) !== live.at(-1);
  if (!isRenamed && dead.length !== live.length) return false;
  const [deadSegments, liveSegments] = isRenamed ? [dead.slice(-1), live.slice(-1)] : [dead, live];
  return deadSegments.some((segment, at) => {
    const other = liveSegments[at] ?? '';
    if (segment === other || !MAY_COUNT.test(segment)) return false;
    if (otherPart(segment.split('-'), other.split('-'))) return true;
    if (otherStart(segment, other)) return false;
    const isMoved = isRenamed && dead.slice(0, -1).join('/') !== live.slice(0, -1).join('/');
    return otherSuffix(tokensOf(segment), tokensOf(other), isMoved ? ONE : ONE_OR_TWO);
  });
}

/**
 * Whether the first tokens of two segments differ, as the first characters show for most pairs: {@link tokensOf} drops
 * nothing but hyphens and zeros. Then the segments need not be split.
 */
function otherStart(segment: string, other: string): boolean {
  return segment[0] !== other[0] && !/^[-0]/.test(segment) && !/^[-0]/.test(other);
}

function otherPart(dead: readonly string[], live: readonly string[]): boolean {
  if (dead.length !== live.length) return false;
  const hasDigits = dead.some((part) => /\d/.test(part));
  return dead.some((part, at) => {
    const there = live[at] ?? '';
    if (part === there) return false;
    const counts = hasDigits || (dead.length > 1 && at === dead.length - 1);
    if (counts && LETTER.test(part) && LETTER.test(there)) return true;
    if (!/\d/.test(part) || !/\d/.test(there)) return false;
    const [a, b] = [part, there].map((text) => SHORT_CODE.exec(text.replace(ORDINAL, '')));
    return a?.[1] !== undefined && a[1] === b?.[1] && sorted(a[0]) !== sorted(b[0]);
  });
}

const ONE = /^[a-z]$/;
const ONE_OR_TWO = /^[a-z]{1,2}$/;

/** Whether segments differ only in letters behind a number; of two letters both, as one may be a typing error. */
function otherSuffix(dead: readonly string[], live: readonly string[], letters: RegExp): boolean {
  const from = dead.findIndex((token, at) => token !== live[at]);
  const at = from < 0 ? dead.length : from;
  if (!/^\d/.test(dead[at - 1] ?? '')) return false;
  const isSuffix = (text = ''): boolean => letters.test(text) && !NO_CODE.has(text);
  const [a = '', b = ''] = [dead[at], live[at]];
  const isRest = (skipped: number, skippedThere: number): boolean =>
    dead.slice(at + skipped).join('-') === live.slice(at + skippedThere).join('-');
  if (isSuffix(a) && isSuffix(b)) return isRest(1, 1) && ![...a].some((letter, i) => letter === b[i]);
  return (isSuffix(a) && isRest(1, 0)) || (isSuffix(b) && isRest(0, 1));
}

/** Splits a segment into words and numbers; the numbers lose leading zeros. */
function tokensOf(segment: string): string[] {
  return (segment.match(/\d+|[^\d-]+/g) ?? []).map((text) => text.replace(/^0+(?=\d)/, ''));
}

function sorted(text: string): string {
  return [...text].sort().join('');
}

/** Whether two paths have different versions at one place: `v2.3` and `v3`. `v2` and `v2.3` may be one version. */
function otherVersion({ segments: dead }: Coded, { segments: live }: Coded): boolean {
  return (
    dead.length === live.length &&
    dead.some((segment, at) => {
      const other = live[at] ?? '';
      if (!segment.startsWith('v') && !other.startsWith('v')) return false;
      const [deadParts, liveParts] = [segment, other].map((text) => VERSION.exec(text)?.[1]?.split('-').map(Number));
      return deadParts?.some((part, i) => liveParts?.[i] !== undefined && part !== liveParts[i]) ?? false;
    })
  );
}

const YEAR = /^(?:19|20)\d\d$/;
/** Only the first versions of a path are compared, up to this number. */
const MAX_VERSIONS = 4;
/** A version has two to four numbers; a longer run is an address or an id. */
const MAX_NUMBERS = 4;
/** Longer numbers are ids, and patterns of thousands of digits would be slow to compare with long urls. */
const MAX_DIGITS = 6;

/** The numbers of a segment, without leading zeros. */
export function numbersOf(segment: string): string[] {
  return (segment.match(/\d+/g) ?? []).map((digits) => digits.replace(/^0+(?=\d)/, ''));
}

/**
 * The versions in a path's plain segments, each with its numbers, which are next to each other in one segment:
 * `/go/v3-0-4` gives 3, 0 and 4. Numbers with a year among them are a date, which may be written in any order.
 */
export function versionsOf(segments: readonly string[]): string[][] {
  return segments
    .flatMap((segment) => segment.split(/[^\d-]+/))
    .map(numbersOf)
    .filter(({ length }) => length >= 2 && length <= MAX_NUMBERS)
    .filter((numbers) => !numbers.some((number) => YEAR.test(number) || number.length > MAX_DIGITS))
    .slice(0, MAX_VERSIONS);
}

/** Whether a version of one path is a version of the other in another order: `3.0.4` and `4.0.3`. */
export function isTurnedAround(versions: readonly string[][], liveVersions: readonly string[][]): boolean {
  if (versions.length === 0 || liveVersions.length === 0) return false;
  const written = liveVersions.map((numbers) => numbers.join('.'));
  const sorted = liveVersions.map((numbers) => [...numbers].sort().join('.'));
  const isTurned = (numbers: string[]) => sorted.includes([...numbers].sort().join('.'));
  return versions.some((numbers) => !written.includes(numbers.join('.')) && isTurned(numbers));
}

/** The patterns of `like` for urls with one of these versions, with any character between numbers: `%3_0_4%`. */
export function versionPatterns(versions: readonly string[][]): string[] {
  return [...new Set(versions.map((numbers) => `%${numbers.join('_')}%`))];
}
