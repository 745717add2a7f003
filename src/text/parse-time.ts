const ISO_8601 = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;

/** Parses an ISO 8601 time; without a zone as UTC. Undefined if it is not a time. */
export function parseIsoTime(text: string): Date | undefined {
  const [, day, time = '00:00', zone = 'Z'] = ISO_8601.exec(text) ?? [];
  const offset = zone
    .toUpperCase()
    .replace(/^([+-]\d{2}):?(\d{2})?$/, (_all, hours: string, minutes = '00') => `${hours}:${String(minutes)}`);
  const date = day !== undefined && isDay(day) ? new Date(`${day}T${time.replace(',', '.')}${offset}`) : undefined;
  return date && !Number.isNaN(date.getTime()) ? date : undefined;
}

const MONTHS = 'JanFebMarAprMayJunJulAugSepOctNovDec';
const LOG_TIME = /^(\d{1,2})\/([A-Z][a-z]{2})\/(\d{4}):(\d{2}:\d{2}:\d{2}) ([+-]\d{2})(\d{2})$/;

/** Parses the time of an access log as Apache and nginx write it: `10/Oct/2000:13:55:36 -0700`. */
export function parseLogTime(text: string): Date | undefined {
  const [, day = '', month = '', year = '', time = '', hours = '', minutes = ''] = LOG_TIME.exec(text) ?? [];
  const at = MONTHS.indexOf(month);
  if (month === '' || at % 3 !== 0) return undefined;
  const number = String(at / 3 + 1).padStart(2, '0');
  return parseIsoTime(`${year}-${number}-${day.padStart(2, '0')}T${time}${hours}:${minutes}`);
}

/** Whether the calendar has the day: `Date` reads 30 February as 2 March. */
function isDay(day: string): boolean {
  const midnight = new Date(day);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
}
