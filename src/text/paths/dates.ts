import { monthOf } from './token-path.js';

/** A date as far as a path tells it. */
export interface PathDate {
  year: number;
  month?: number | undefined;
  day?: number | undefined;
  week?: number | undefined;
  /** Which of the two is the month is not known: `03-05-2019`. */
  isAmbiguous?: boolean;
}

/** A word or number, and which segment it stands in. */
export interface DateToken {
  text: string;
  segment: number;
  /** It is all of its segment. */
  isWhole: boolean;
}

const YEAR = /^(?:19|20)\d\d$/;
const COMPACT = /^((?:19|20)\d\d)(0\d|1[0-2])([0-2]\d|3[01])$/;
const DAY_MS = 86_400_000;

/**
 * The date that begins at a token, in any notation: `2019/03/05`, `20190305`, `5-march-2019`, `mar-2019`, `2019-w10`,
 * `2019`; and how many tokens it has. Undefined if none begins there.
 */
export function dateAt(tokens: readonly DateToken[], at: number): { date: PathDate; length: number } | undefined {
  const [first, second, third] = [tokens[at], tokens[at + 1], tokens[at + 2]];
  if (!first) return undefined;
  const compact = COMPACT.exec(first.text)?.slice(1).map(Number);
  if (compact) return { date: { year: compact[0] ?? 0, month: compact[1], day: compact[2] }, length: 1 };
  if (YEAR.test(first.text)) return fromYear(Number(first.text), second, third, tokens[at + 3]);
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

function fromYear(
  year: number,
  second: DateToken | undefined,
  third: DateToken | undefined,
  fourth: DateToken | undefined,
): { date: PathDate; length: number } {
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
  // `2019-3-tips` is no month, unless it is written as one.
  const isMonth = month <= 12 && (second.isWhole || second.text.length > 1);
  return isMonth ? { date: { year, month }, length: 2 } : { date: { year }, length: 1 };
}

function small(text: string | undefined, max: number): number | undefined {
  if (text === undefined || !/^\d{1,2}$/.test(text)) return undefined;
  const value = Number(text);
  return value <= max ? value : undefined;
}

/** Whether two dates can be one: one may tell less than the other. */
export function canBeSameDate(a: PathDate, b: PathDate): boolean {
  if (a.week !== undefined || b.week !== undefined) return isSameWeek(a, b);
  if (a.year !== b.year) return false;
  if (a.month === undefined || b.month === undefined) return true;
  if (a.day === undefined || b.day === undefined) {
    const [less, more] = a.day === undefined ? [a, b] : [b, a];
    return less.month === more.month || (more.isAmbiguous === true && less.month === more.day);
  }
  if (a.month === b.month && a.day === b.day) return true;
  return (a.isAmbiguous === true || b.isAmbiguous === true) && a.month === b.day && a.day === b.month;
}

/** Two days at most apart: the time zone of a blog was changed, or an editor put the day right. */
export function areNear(a: PathDate, b: PathDate): boolean {
  const [one, other] = [a, b].map(({ year, month, day }) => Date.UTC(year, (month ?? 0) - 1, day ?? NaN));
  return Math.abs((one ?? NaN) - (other ?? NaN)) <= 2 * DAY_MS;
}

function isSameWeek(a: PathDate, b: PathDate): boolean {
  const [weekA, weekB] = [weekOf(a), weekOf(b)];
  if (!weekA || !weekB) return a.year === b.year;
  return weekA.year === weekB.year && weekA.week === weekB.week;
}

/** The week of ISO 8601, whose year is that of its Thursday. */
function weekOf({ year, month, day, week }: PathDate): { year: number; week: number } | undefined {
  if (week !== undefined) return { year, week };
  if (month === undefined || day === undefined) return undefined;
  const date = Date.UTC(year, month - 1, day);
  const thursday = date + (3 - ((new Date(date).getUTCDay() + 6) % 7)) * DAY_MS;
  const own = new Date(thursday).getUTCFullYear();
  return { year: own, week: 1 + Math.floor((thursday - Date.UTC(own, 0, 1)) / (7 * DAY_MS)) };
}
