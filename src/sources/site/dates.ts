const PARTS = ['year', 'month', 'day', 'hour', 'minute', 'second'] as const;
type Part = (typeof PARTS)[number];
type DateParts = Record<Part, number>;
const NUMERIC = Object.fromEntries(PARTS.map((part) => [part, 'numeric'])) as Record<Part, 'numeric'>;

/** The parts of a date as written, and its time. */
export interface SiteDate extends DateParts {
  /** Milliseconds since 1970; without a zone in UTC. */
  time: number;
}

const DATE =
  /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[T ]+(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2})?)?/i;

/**
 * Reads `2024-01-05`, `2024-01-05 10:30:00 +0200` and the like; undefined for anything else.
 *
 * @param timeZone converts the parts to this zone
 */
export function readDate(value: unknown, timeZone?: string): SiteDate | undefined {
  const match = typeof value === 'string' ? DATE.exec(value.trim()) : undefined;
  if (!match) return undefined;
  const parts = toParts((_, at) => Number(match[at + 1] ?? 0));
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

function toParts(valueOf: (part: Part, at: number) => number): DateParts {
  return Object.fromEntries(PARTS.map((part, at) => [part, valueOf(part, at)])) as DateParts;
}

function partsIn(time: number, timeZone: string): DateParts {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', { ...NUMERIC, hourCycle: 'h23', timeZone });
  } catch {
    format = new Intl.DateTimeFormat('en-US', { ...NUMERIC, hourCycle: 'h23', timeZone: 'UTC' });
  }
  const parts = new Map<string, number>(format.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
  return toParts((part) => parts.get(part) ?? 0);
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

export function pad(number: number, digits = 2): string {
  return String(number).padStart(digits, '0');
}
