import type { MissingReports } from './store/missing-pages.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * A page is reported missing when visitors from this many networks (/24, /48) have met its 404; for events without an
 * address, when 404s came in this many different hours. The first and last must be an hour apart. So one visitor or
 * robot is not enough, nor is a site that fails for some minutes (SECURITY.md).
 */
const MIN_NETWORKS = 3;
const MIN_HOURS = 12;
const MIN_APART_MS = HOUR_MS;
/** Reports that are further apart are about two different failures. */
const MAX_APART_MS = 30 * DAY_MS;

export function addReport(before: MissingReports, report: { network: string | null; at: string }): MissingReports {
  const at = Date.parse(report.at);
  const stale = before.lastAt !== null && at - Date.parse(before.lastAt) > MAX_APART_MS;
  const { networks, hours, firstAt, lastAt } = stale ? NOTHING : before;
  const hour = new Date(Math.floor(at / HOUR_MS) * HOUR_MS).toISOString();
  return {
    networks: report.network === null ? networks : withOne(networks, report.network, MIN_NETWORKS),
    hours: report.network === null ? withOne(hours, hour, MIN_HOURS) : hours,
    firstAt: firstAt === null || at < Date.parse(firstAt) ? report.at : firstAt,
    lastAt: lastAt === null || at > Date.parse(lastAt) ? report.at : lastAt,
  };
}

const NOTHING: MissingReports = { networks: [], hours: [], firstAt: null, lastAt: null };

function withOne(all: readonly string[], one: string, max: number): readonly string[] {
  return all.length >= max || all.includes(one) ? all : [...all, one];
}

export function isReportedMissing({ networks, hours, firstAt, lastAt }: MissingReports): boolean {
  if (firstAt === null || lastAt === null || Date.parse(lastAt) - Date.parse(firstAt) < MIN_APART_MS) return false;
  return networks.length >= MIN_NETWORKS || hours.length >= MIN_HOURS;
}
