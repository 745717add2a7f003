import type { MissingReports } from '../database/queries/missing-pages.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/**
 * A page is taken as missing when visitors of so many networks (/24, /48) have met its 404, or, where events carry no
 * address, when somebody met it in so many different hours; and the first and last of them at least an hour apart. One
 * visitor or robot alone does not bring that about, nor does a site that fails for some minutes (SECURITY.md).
 */
const NETWORKS = 3;
const HOURS = 12;
const MIN_APART = HOUR;
/** Reports that lie further apart are not about one and the same failure. */
const MAX_APART = 30 * DAY;

export function addReport(before: MissingReports, report: { network: string | null; at: string }): MissingReports {
  const at = Date.parse(report.at);
  const stale = before.lastAt !== null && at - Date.parse(before.lastAt) > MAX_APART;
  const { networks, hours, firstAt, lastAt } = stale ? NOTHING : before;
  const hour = new Date(Math.floor(at / HOUR) * HOUR).toISOString();
  return {
    networks: report.network === null ? networks : withOne(networks, report.network, NETWORKS),
    hours: report.network === null ? withOne(hours, hour, HOURS) : hours,
    firstAt: firstAt === null || at < Date.parse(firstAt) ? report.at : firstAt,
    lastAt: lastAt === null || at > Date.parse(lastAt) ? report.at : lastAt,
  };
}

const NOTHING: MissingReports = { networks: [], hours: [], firstAt: null, lastAt: null };

function withOne(all: readonly string[], one: string, max: number): readonly string[] {
  return all.length >= max || all.includes(one) ? all : [...all, one];
}

export function isReportedMissing({ networks, hours, firstAt, lastAt }: MissingReports): boolean {
  if (firstAt === null || lastAt === null || Date.parse(lastAt) - Date.parse(firstAt) < MIN_APART) return false;
  return networks.length >= NETWORKS || hours.length >= HOURS;
}
