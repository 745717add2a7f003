/** A date as a generator reads it: the parts as they are written, and the moment. */
export interface SiteDate {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  /** Milliseconds since 1970; without a zone in UTC. */
  time: number;
}

const DATE =
  /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[T ]+(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2})?)?/i;

/**
 * Reads `2024-01-05`, `2024-01-05 10:30:00 +0200` and the like; undefined if it is none.
 *
 * @param timeZone if it is given, the parts are those of this zone.
 */
export function readDate(value: unknown, timeZone?: string): SiteDate | undefined {
  const match = typeof value === 'string' ? DATE.exec(value.trim()) : undefined;
  if (!match) return undefined;
  const [year, month, day, hour, minute, second] = match
    .slice(1, 7)
    .map((part) => Number((part as string | undefined) ?? 0));
  const parts = {
    year: year ?? 0,
    month: month ?? 0,
    day: day ?? 0,
    hour: hour ?? 0,
    minute: minute ?? 0,
    second: second ?? 0,
  };
  const utc = Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute, parts.second);
  const zone = match[7];
  if (zone === undefined) return { ...parts, time: utc };
  const time = utc - offsetOf(zone);
  return timeZone === undefined ? { ...parts, time } : { ...partsIn(time, timeZone), time };
}

function offsetOf(zone: string): number {
  const [, sign, hours, minutes] = /([+-])(\d{2}):?(\d{2})/.exec(zone) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000;
}

function partsIn(time: number, timeZone: string): Omit<SiteDate, 'time'> {
  let format: Intl.DateTimeFormat;
  const options = {
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  } as const;
  try {
    format = new Intl.DateTimeFormat('en-US', { ...options, hourCycle: 'h23', timeZone });
  } catch {
    format = new Intl.DateTimeFormat('en-US', { ...options, hourCycle: 'h23', timeZone: 'UTC' });
  }
  const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
  const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  return {
    year: part('year'),
    month: part('month'),
    day: part('day'),
    hour: part('hour'),
    minute: part('minute'),
    second: part('second'),
  };
}

export const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);
export const WEEKDAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

export function weekday({ year, month, day }: SiteDate): number {
  return new Date(Date.UTC(year, month - 1, day)).getUTCDay();
}

export function dayOfYear({ year, month, day }: SiteDate): number {
  return Math.round((Date.UTC(year, month - 1, day) - Date.UTC(year, 0, 0)) / 86_400_000);
}

/** Of ISO 8601: weeks begin on Monday, and the first has a Thursday. */
export function isoWeek(date: SiteDate): { year: number; week: number } {
  const thursday = new Date(Date.UTC(date.year, date.month - 1, date.day + 4 - (weekday(date) || 7)));
  const year = thursday.getUTCFullYear();
  return { year, week: Math.ceil(((thursday.getTime() - Date.UTC(year, 0, 1)) / 86_400_000 + 1) / 7) };
}

export function pad(number: number, digits = 2): string {
  return String(number).padStart(digits, '0');
}
