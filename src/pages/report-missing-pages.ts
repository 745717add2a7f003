import type { Trx } from '../platform/database/db.js';
import { lockReports, findPagesByPathKey, writeReports, type MissingReports } from './store/missing-pages.js';
import { networkOf, VISITOR_NETWORK } from '../text/ip-address.js';
import { pathKey, dropTracking } from '../text/paths/plain-path.js';
import { parseUrl } from '../text/page-url.js';
import { isSameUrl } from '../text/same-url.js';

interface ReportedNotFound {
  project_id: string;
  received_at: string;
  raw_path: string;
  origin: string | null;
  visitor_ip: string | null;
  is_test: boolean;
}

/** Counts live 404s at urls of indexed pages. Returns projects with a newly missing page: their answers are stale. */
export async function reportMissingPages(trx: Trx, notFounds: readonly ReportedNotFound[]): Promise<string[]> {
  const live = notFounds.filter((notFound) => !notFound.is_test);
  if (live.length === 0) return [];
  const paths = live.map(({ project_id: projectId, raw_path, received_at: at }) => {
    return { projectId, key: pathKey(dropTracking(raw_path)), at };
  });
  const pages = await findPagesByPathKey(trx, paths);
  const reports = pages.flatMap((page) => {
    const event = live[page.place];
    if (!event || !isSameUrl(fullUrl(event), page.url)) return [];
    return [{ page, network: visitorNetwork(event.visitor_ip), at: event.received_at }];
  });
  if (reports.length === 0) return [];
  const reported = reports.map(({ page }) => page);
  const known = await lockReports(trx, reported);
  const changed = new Set<string>();
  const written = known.map((row) => {
    const ofPage = reports.filter(({ page }) => page.project_id === row.project_id && page.page_id === row.page_id);
    const after = ofPage.reduce(addReport, {
      networks: row.networks,
      hours: row.hours.map(iso),
      firstAt: row.first_at && iso(row.first_at),
      lastAt: row.last_at && iso(row.last_at),
    });
    const enough = isReportedMissing(after);
    if (enough && row.reported_at === null) changed.add(row.project_id);
    return { ...after, projectId: row.project_id, pageId: row.page_id, reported: enough };
  });
  await writeReports(trx, written);
  return [...changed];
}

/** Completes a path with the event's origin. */
function fullUrl({ raw_path, origin }: ReportedNotFound): string {
  const site = origin === null ? undefined : parseUrl(origin);
  return site !== undefined && raw_path.startsWith('/') && /^https?:$/.test(site.protocol)
    ? site.origin + raw_path
    : raw_path;
}

/** The network of an address, since a visitor may have many addresses. EVENT_IP_MODE may store networks already. */
function visitorNetwork(ip: string | null): string | null {
  return ip === null || ip.includes('/') ? ip : networkOf(ip, VISITOR_NETWORK);
}

function iso(date: Date): string {
  return date.toISOString();
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * A page is reported missing after 404s of visitors from this many networks (/24, /48), or, for events without an
 * address, in this many different hours. The first and last must be an hour apart, so that one visitor, one robot or a
 * short outage is not enough (SECURITY.md).
 */
const MIN_NETWORKS = 3;
const MIN_HOURS = 12;
const MIN_APART_MS = HOUR_MS;
/** Reports further apart belong to different failures. */
const MAX_APART_MS = 30 * DAY_MS;

function addReport(before: MissingReports, report: { network: string | null; at: string }): MissingReports {
  const at = Date.parse(report.at);
  const stale = before.lastAt !== null && at - Date.parse(before.lastAt) > MAX_APART_MS;
  const { networks, hours, firstAt, lastAt } = stale ? NOTHING : before;
  const hour = new Date(Math.floor(at / HOUR_MS) * HOUR_MS).toISOString();
  return {
    networks: report.network === null ? networks : addDistinct(networks, report.network, MIN_NETWORKS),
    hours: report.network === null ? addDistinct(hours, hour, MIN_HOURS) : hours,
    firstAt: firstAt === null || at < Date.parse(firstAt) ? report.at : firstAt,
    lastAt: lastAt === null || at > Date.parse(lastAt) ? report.at : lastAt,
  };
}

const NOTHING: MissingReports = { networks: [], hours: [], firstAt: null, lastAt: null };

function addDistinct(all: readonly string[], text: string, max: number): readonly string[] {
  return all.length >= max || all.includes(text) ? all : [...all, text];
}

function isReportedMissing({ networks, hours, firstAt, lastAt }: MissingReports): boolean {
  if (firstAt === null || lastAt === null || Date.parse(lastAt) - Date.parse(firstAt) < MIN_APART_MS) return false;
  return networks.length >= MIN_NETWORKS || hours.length >= MIN_HOURS;
}
