import { monthOf, type DateToken } from './number-words.js';

/** A date of a path, perhaps incomplete. */
export interface PathDate {
  year: number;
  month?: number | undefined;
  day?: number | undefined;
  week?: number | undefined;
  /** It is not known which of the two numbers is the month: `03-05-2019`. */
  isAmbiguous?: boolean;
  /** The year after `year`, where the path names both: a school year or a business year. */
  until?: number;
}

const YEAR = /^(?:19|20)\d\d$/;
const COMPACT = /^((?:19|20)\d\d)(0\d|1[0-2])([0-2]\d|3[01])$/;
/** Two digits are a short year only after this year: up to 12, they may be a month. */
const LAST_AMBIGUOUS_YEAR = 2012;
const DAY_MS = 86_400_000;

/** A date of a path, and how many tokens it has. */
interface FoundDate {
  date: PathDate;
  length: number;
  /** The date may be two numbers as well: `22-23`. */
  isDoubtful?: boolean;
}

/**
 * Reads the date that begins at a token, in any notation: `2019/03/05`, `20190305`, `5-march-2019`, `mar-2019`,
 * `2019-w10`, `2019-20`, `2019`. Undefined if no date begins there.
 */
export function dateAt(tokens: readonly DateToken[], at: number): FoundDate | undefined {
  const [first, second, third] = [tokens[at], tokens[at + 1], tokens[at + 2]];
  if (!first) return undefined;
  const pair = pairOfYears(tokens, at);
  if (pair) return pair;
  const compact = COMPACT.exec(first.text)?.slice(1).map(Number);
  if (compact) return { date: { year: compact[0] ?? 0, month: compact[1], day: compact[2] }, length: 1 };
  if (YEAR.test(first.text)) return fromYear(Number(first.text), tokens, at);
  const year = [second, third].map((token) => (YEAR.test(token?.text ?? '') ? Number(token?.text) : undefined));
  const named = monthOf(first.text);
  if (year[0] !== undefined)
    return named === undefined ? undefined : { date: { year: year[0], month: named }, length: 2 };
  if (year[1] === undefined) return undefined;
  const [a, b] = [named ?? small(first.text, 31), monthOf(second?.text ?? '') ?? small(second?.text, 31)];
  if (a === undefined || b === undefined) return undefined;
  if (named !== undefined || b > 12)
    return a > 12 ? undefined : { date: { year: year[1], month: a, day: b }, length: 3 };
  if (b === 0 || a === 0) return undefined;
  const isAmbiguous = a <= 12 && a !== b && monthOf(second?.text ?? '') === undefined;
  return { date: { year: year[1], month: b, day: a, isAmbiguous }, length: 3 };
}

/** Reads a year and the next one in a segment, without another number beside them: `22-23`. `2011-12` is a month. */
function pairOfYears(tokens: readonly DateToken[], at: number): FoundDate | undefined {
  const [first, second] = [tokens[at], tokens[at + 1]];
  if (!first || first.segment !== second?.segment) return undefined;
  const isBeside = (other?: DateToken): boolean => other?.segment === first.segment && /^\d/.test(other.text);
  if (isBeside(tokens[at - 1]) || isBeside(tokens[at + 2])) return undefined;
  const isDoubtful = /^\d\d$/.test(first.text);
  const year = Number(isDoubtful ? `20${first.text}` : first.text);
  if (!YEAR.test(String(year)) || (isDoubtful && year <= LAST_AMBIGUOUS_YEAR)) return undefined;
  const until = year + 1;
  const isLong = second.text === String(until);
  const isShort = until > LAST_AMBIGUOUS_YEAR && second.text === String(until).slice(2);
  return (isLong && !isDoubtful) || isShort ? { date: { year, until }, length: 2, isDoubtful } : undefined;
}

function fromYear(year: number, tokens: readonly DateToken[], at: number): FoundDate {
  const [second, third, fourth] = [tokens[at + 1], tokens[at + 2], tokens[at + 3]];
  const week = second?.text === 'w' ? small(third?.text, 53) : undefined;
  if (week !== undefined) return { date: { year, week }, length: fourth && /^[1-7]$/.test(fourth.text) ? 4 : 3 };
  const month = monthOf(second?.text ?? '') ?? small(second?.text, 31);
  if (!second || month === undefined || month === 0) return { date: { year }, length: 1 };
  const day = small(third?.text, 31);
  if (day !== undefined && day > 0 && (month <= 12 || day <= 12)) {
    // Editors write 2022-28-06, too.
    const date = month <= 12 ? { year, month, day } : { year, month: day, day: month };
    return { date, length: 3 };
  }
  // In `2019-3-tips`, the 3 is not a month. A month is a whole segment, has two digits, or is a word.
  const isMonth = month <= 12 && (second.isWhole || second.text.length > 1);
  return isMonth ? { date: { year, month }, length: 2 } : { date: { year }, length: 1 };
}

function small(text: string | undefined, max: number): number | undefined {
  if (text === undefined || !/^\d{1,2}$/.test(text)) return undefined;
  const value = Number(text);
  return value <= max ? value : undefined;
}

/** Whether two dates can be equal: one may be less complete than the other. */
export function canBeSameDate(a: PathDate, b: PathDate): boolean {
  if (a.week !== undefined || b.week !== undefined) return isSameWeek(a, b);
  if (a.until !== b.until) {
    const [pair, single] = a.until === undefined ? [b, a] : [a, b];
    // The year 2022 is another one than the school year 2022/23; a day of it may be in both.
    return single.month !== undefined && (single.year === pair.year || single.year === pair.until);
  }
  if (a.year !== b.year) return false;
  if (a.month === undefined || b.month === undefined) return true;
  if (a.day === undefined || b.day === undefined) {
    const [less, more] = a.day === undefined ? [a, b] : [b, a];
    return less.month === more.month || (more.isAmbiguous === true && less.month === more.day);
  }
  if (a.month === b.month && a.day === b.day) return true;
  return (a.isAmbiguous === true || b.isAmbiguous === true) && a.month === b.day && a.day === b.month;
}

/** Whether two dates are at most two days apart: a blog's time zone changed, or an editor corrected the day. */
export function areNear(a: PathDate, b: PathDate): boolean {
  const [timeA, timeB] = [a, b].map(({ year, month, day }) => Date.UTC(year, (month ?? 0) - 1, day ?? NaN));
  return Math.abs((timeA ?? NaN) - (timeB ?? NaN)) <= 2 * DAY_MS;
}

function isSameWeek(a: PathDate, b: PathDate): boolean {
  const [weekA, weekB] = [weekOf(a), weekOf(b)];
  if (!weekA || !weekB) return a.year === b.year;
  return weekA.year === weekB.year && weekA.week === weekB.week;
}

function weekOf({ year, month, day, week }: PathDate): { year: number; week: number } | undefined {
  if (week !== undefined) return { year, week };
  if (month === undefined || day === undefined) return undefined;
  return isoWeek(year, month, day);
}

/** The week of a day by ISO 8601: weeks begin on Monday, and the year of a week is that of its Thursday. */
export function isoWeek(year: number, month: number, day: number): { year: number; week: number } {
  const date = Date.UTC(year, month - 1, day);
  const thursday = date + (3 - ((new Date(date).getUTCDay() + 6) % 7)) * DAY_MS;
  const thursdayYear = new Date(thursday).getUTCFullYear();
  return { year: thursdayYear, week: 1 + Math.floor((thursday - Date.UTC(thursdayYear, 0, 1)) / (7 * DAY_MS)) };
}
