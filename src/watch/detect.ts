import { findDeadTargets, findErrorPages, findFirstHour, selectNotFoundHours } from './store/alert-facts.js';
import { findFailedSync } from '../sync/store/sync-runs.js';
import type { Db } from '../platform/database/db.js';
import type { AlertKind, FoundAlert } from './alert.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** An hour is compared with the same hour of the four weeks before. */
const DAYS = 28;
/** With fewer days, it is not known what is usual. */
const MIN_DAYS = 7;
/** The maximum number of alerts of one kind at a time; more are found when these are gone. */
export const MAX_FOUND = 1_000;

/** Finds what is wrong at this moment; other kinds are reported where they happen. */
export const DETECTORS: Partial<Record<AlertKind, (db: Db, projectId: string, now: number) => Promise<FoundAlert[]>>> =
  {
    not_found_spike: detectSpike,
    dead_target: async (db, projectId) =>
      (await findDeadTargets(db, projectId, MAX_FOUND)).map((cause) => ({ key: cause.path, cause })),
    sync_failed: async (db, projectId) => {
      const failed = await findFailedSync(db, projectId);
      return failed ? [{ key: '', cause: failed }] : [];
    },
    page_error: async (db, projectId, now) => {
      const pages = await findErrorPages(db, projectId, new Date(now - HOUR_MS), MAX_FOUND);
      return pages.map((cause) => ({ key: cause.url, cause }));
    },
  };

/**
 * Examines the current hour and the one before: a spike is seen as soon as a part of an hour has more 404s than the
 * whole hour should have, and it is over when a whole hour has passed without one.
 */
async function detectSpike(db: Db, projectId: string, now: number): Promise<FoundAlert[]> {
  const first = await findFirstHour(db, projectId);
  if (!first) return [];
  const currentHour = Math.floor(now / HOUR_MS) * HOUR_MS;
  const examined = [currentHour, currentHour - HOUR_MS];
  const wanted = examined.flatMap((hour) => Array.from({ length: DAYS + 1 }, (_, days) => hour - days * DAY_MS));
  const moments = wanted.map((hour) => new Date(hour));
  const rows = await selectNotFoundHours(db, projectId, moments);
  const hits = new Map(rows.map((row) => [row.hour.getTime(), row.hits]));
  const spikes = examined.filter((hour) => {
    const { days, sameWeekday } = earlierHours(hour, first.getTime());
    const hitsOf = (hours: readonly number[]): number[] => hours.map((before) => hits.get(before) ?? 0);
    return days.length >= MIN_DAYS && isSpike(hits.get(hour) ?? 0, hitsOf(days), hitsOf(sameWeekday));
  });
  const [busiest] = spikes.sort((a, b) => (hits.get(b) ?? 0) - (hits.get(a) ?? 0));
  if (busiest === undefined) return [];
  const usual = median(earlierHours(busiest, first.getTime()).days.map((before) => hits.get(before) ?? 0));
  const cause = { hour: new Date(busiest).toISOString(), not_founds: hits.get(busiest) ?? 0, usual };
  // One key, so that a spike of several hours is one alert.
  return [{ key: '', cause }];
}

/** The same hour of the days before, from the first hour with a recorded 404 on; and those of the same weekday. */
function earlierHours(hour: number, first: number): { days: number[]; sameWeekday: number[] } {
  const days = Array.from({ length: DAYS }, (_, at) => hour - (at + 1) * DAY_MS).filter((before) => before >= first);
  return { days, sameWeekday: days.filter((_, at) => (at + 1) % 7 === 0) };
}

/** Fewer 404s in an hour are no spike, whatever is usual. */
const MIN_NOT_FOUNDS = 20;
/** A spike has more than so many times the usual number of 404s, and than is usual on that day of the week. */
const MIN_TIMES = 2;
const MIN_SCORE = 3.5;
/** Makes the median absolute deviation comparable with a standard deviation: 1 / 0.6745. */
const SCALE = 1.4826;

/**
 * Whether an hour has many more 404s than the same hour of earlier days, and of the same day of the week.
 *
 * The modified z-score of Iglewicz and Hoaglin ("How to Detect and Handle Outliers", ASQC 1993): the distance from the
 * median in units of 1.4826 × the median absolute deviation, and 3.5 is the bound that they recommend. Medians do not
 * follow the spikes of earlier weeks. A quiet site's deviation is 0: it counts at least as the square root of the
 * median, which is what independent visitors make (Poisson). What comes every week (a newsletter on Tuesdays) is usual.
 *
 * @param earlier 404s in the same hour of earlier days.
 * @param sameWeekday those of them that were on this day of the week.
 */
export function isSpike(notFounds: number, earlier: readonly number[], sameWeekday: readonly number[]): boolean {
  const usual = median(earlier);
  const deviation = Math.max(SCALE * median(earlier.map((hits) => Math.abs(hits - usual))), Math.sqrt(usual), 1);
  return (
    notFounds >= MIN_NOT_FOUNDS &&
    (notFounds - usual) / deviation > MIN_SCORE &&
    notFounds > MIN_TIMES * Math.max(usual, median(sameWeekday))
  );
}

/** Returns the median; 0 for an empty list. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = 0, high = 0] = sorted.length % 2 === 1 ? [sorted[middle], sorted[middle]] : sorted.slice(middle - 1);
  return (low + high) / 2;
}
