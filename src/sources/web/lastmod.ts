const LASTMOD = /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|[+-]\d\d:?\d\d)?)?)?)?$/i;
const MIDNIGHT = /^00:00(?::00(?:\.0+)?)?$/;
const MINUTE_MS = 60_000;
const HALF_DAY_MS = 12 * 3_600_000;

/**
 * Whether a change since `readAt` would show as another `lastmod`. A change within the day, month or minute of
 * `lastmod` would not show; a time of midnight stands for the day. A day, or a time without a zone, may be half a day
 * off. False for an unknown form.
 */
export function isOlder(lastmod: string, readAt: Date | undefined): boolean {
  const [, year, month, day, time, zone] = LASTMOD.exec(lastmod.trim()) ?? [];
  if (year === undefined || readAt === undefined) return false;
  const isDay = time === undefined || MIDNIGHT.test(time);
  const end = isDay
    ? Date.UTC(Number(year), Number(month ?? 12) - (day === undefined ? 0 : 1), day === undefined ? 1 : Number(day) + 1)
    : Date.parse(`${year}-${month ?? ''}-${day ?? ''}T${time}${zone?.toUpperCase() ?? 'Z'}`) + MINUTE_MS;
  return readAt.getTime() > (!isDay && zone !== undefined ? end : end + HALF_DAY_MS);
}
