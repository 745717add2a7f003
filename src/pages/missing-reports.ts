/** What 404s of a page's own url say since the page was last pushed. */
export interface MissingReports {
  /** Networks of visitors who met it, NETWORKS at most. */
  networks: readonly string[];
  /** Hours in which visitors without an address met it, HOURS at most. */
  hours: readonly string[];
  firstAt: string | null;
  lastAt: string | null;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/**
 * A page is taken as missing when visitors of so many networks (/24, /48) have met its 404, or, where events carry no
 * address, when somebody met it in so many different hours; and the first and last of them at least an hour apart. One
 * visitor or robot alone does not bring that about, nor does a site that fails for some minutes (SECURITY.md).
 */
const NETWORKS = 3;
const HOURS = 12;
const LEAST_APART = HOUR;
/** Reports that lie further apart are not about one and the same failure. */
const MOST_APART = 30 * DAY;

export function addReport(before: MissingReports, report: { network: string | null; at: string }): MissingReports {
  const at = Date.parse(report.at);
  const stale = before.lastAt !== null && at - Date.parse(before.lastAt) > MOST_APART;
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

function withOne(all: readonly string[], one: string, most: number): readonly string[] {
  return all.length >= most || all.includes(one) ? all : [...all, one];
}

export function areEnough({ networks, hours, firstAt, lastAt }: MissingReports): boolean {
  if (firstAt === null || lastAt === null || Date.parse(lastAt) - Date.parse(firstAt) < LEAST_APART) return false;
  return networks.length >= NETWORKS || hours.length >= HOURS;
}
