import { invalid } from '../base/errors.js';
import { countOf } from '../text/count-of.js';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
const MAX_DAYS = 400;

/** UTC days, the first and the last with all between, as `2026-11-24`. */
export interface Days {
  from: string;
  to: string;
}

/** The days of a report. */
export interface Range extends Days {
  /** All days of the report, oldest first. */
  days: string[];
  /** The same number of days, directly before. */
  before: Days;
  /** Today, if it is among them: it is not over. */
  today: string | undefined;
  /** Days that are kept completely and are over. */
  whole: number;
  /** A sentence: how many days they are, how many are whole, and why the others are not. */
  about: string;
}

/** Returns as many days, directly before the given ones. */
export function daysBefore({ from, to }: Days): Days {
  const first = Date.parse(from);
  return { from: dayOf(2 * first - Date.parse(to) - DAY_MS), to: dayOf(first - DAY_MS) };
}

/** Returns the first moment of the days, and the first moment after them. */
export function timeOf({ from, to }: Days): { since: Date; until: Date } {
  return { since: new Date(from), until: new Date(Date.parse(to) + DAY_MS) };
}

/** The UTC day of a moment. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** The last days with that of a moment, oldest first. */
export function lastDays(now: number, count: number): string[] {
  return Array.from({ length: count }, (_, at) => dayOf(now - (count - 1 - at) * DAY_MS));
}

/**
 * Reads `from` and `to`, each a UTC day, or `days`, a number of days that end with `to`; without any, the last 30.
 * @param keptDays EVENT_RETENTION_DAYS: older weeks are dropped
 * @throws ApiError that names the field
 */
export function readRange(query: URLSearchParams, now: number, keptDays: number): Range {
  const today = dayOf(now);
  const to = readDay(query, 'to') ?? today;
  if (to > today) throw invalid('to', `to must not be after today, ${today} (UTC).`);
  const count = Number(query.get('days') ?? DEFAULT_DAYS);
  if (!Number.isInteger(count) || count < 1 || count > MAX_DAYS)
    throw invalid('days', `days must be a number from 1 to ${MAX_DAYS}.`);
  const from = readDay(query, 'from') ?? dayOf(Date.parse(to) - (count - 1) * DAY_MS);
  if (from > to) throw invalid('from', `from must not be after to, ${to}.`);
  const length = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  if (length > MAX_DAYS) throw invalid('from', `from and to must be at most ${MAX_DAYS} days apart.`);
  const days = lastDays(Date.parse(to), length);
  const kept = firstDayKept(now, keptDays);
  const dropped = days.filter((day) => day < kept).length;
  const whole = days.filter((day) => day >= kept && day < today).length;
  const before = daysBefore({ from, to });
  const why = [
    ...(to === today ? ['today is not over'] : []),
    ...(dropped > 0 ? [`events before ${kept} are not kept`] : []),
    ...(before.from < kept && dropped === 0 ? [`of the days before, those before ${kept} are not kept`] : []),
  ].join(', and ');
  const about = `${countOf(length, 'day')}, ${whole === length ? 'all whole' : `${whole} of them whole`}${why && `: ${why}`}. Compared with ${before.from} to ${before.to}.`;
  return { from, to, days, before, today: to === today ? today : undefined, whole, about };
}

function readDay(query: URLSearchParams, name: 'from' | 'to'): string | undefined {
  const value = query.get(name)?.trim() ?? '';
  if (value === '') return undefined;
  const at = /^\d{4}-\d\d-\d\d$/.test(value) ? Date.parse(value) : NaN;
  if (Number.isNaN(at) || dayOf(at) !== value) throw invalid(name, `${name} must be a day such as 2026-11-24.`);
  return value;
}

/** Whole weeks are dropped: the Monday of the week in which the retention ends. */
function firstDayKept(now: number, keptDays: number): string {
  const day = Math.floor(now / DAY_MS) - keptDays;
  // 1 January 1970 was a Thursday.
  return dayOf((day - ((day + 3) % 7)) * DAY_MS);
}
