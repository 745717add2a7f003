import { countPagesByStatus } from '../pages/store/page-counts.js';
import { selectRecoveryDays } from '../analytics/store/not-founds.js';
import { findDeadRedirects } from '../rules/preview/check-rules.js';
import { selectBrokenLinks, selectWeekPaths, type BrokenLink, type WeekPath } from './store/alert-facts.js';
import { listProposals } from '../rules/proposals/proposals.js';
import type { RuleDeps } from '../rules/rule.js';
import { findUndecided } from '../rules/preview/try-rules.js';

/** A week of a project, Monday to Sunday, UTC. */
export interface Digest {
  /** The day is written as in `2026-11-16`. */
  monday: string;
  not_founds: number;
  recovered: number;
  not_founds_before: number;
  recovered_before: number;
  /** The paths that people missed most. */
  missed: WeekPath[];
  /** Nothing is decided about these of the week's most missed paths: their number, and the first. */
  undecided: { count: number; paths: WeekPath[] };
  broken_links: BrokenLink[];
  /** The number of open proposals, up to {@link MAX_COUNTED}. */
  proposals: number;
  dead_redirects: number;
  error_pages: number;
}

const DAY_MS = 86_400_000;
const SHOWN = 10;
const LOOKED = 200;
export const MAX_COUNTED = 200;

/** The Monday of the week of a moment. */
export function mondayOf(at: number): string {
  const day = Math.floor(at / DAY_MS);
  // 1 January 1970 was a Thursday.
  return dayText(day - ((day + 3) % 7));
}

function dayText(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** Returns the Monday one week before. */
export function weekBefore(monday: string): string {
  return dayText(Date.parse(monday) / DAY_MS - 7);
}

export async function makeDigest(deps: RuleDeps, projectId: string, monday: string): Promise<Digest> {
  const { db } = deps;
  const day = Date.parse(monday) / DAY_MS;
  const [rows, missed, broken, { proposals }, dead, pages] = [
    await selectRecoveryDays(db, [projectId], { from: dayText(day - 7), to: dayText(day + 6) }),
    await selectWeekPaths(db, projectId, monday, LOOKED),
    await selectBrokenLinks(db, projectId, monday, SHOWN),
    await listProposals(deps, projectId, { limit: MAX_COUNTED }),
    await findDeadRedirects({ db, projectId }, MAX_COUNTED),
    await countPagesByStatus(db, projectId),
  ];
  const unrecovered = missed.filter(({ hits, recovered }) => recovered < hits);
  const undecided = await findUndecided(deps, projectId, unrecovered);
  const sum = (isThisWeek: boolean, outcomes?: readonly string[]): number =>
    rows
      .filter((row) => row.day >= monday === isThisWeek && (outcomes?.includes(row.outcome) ?? true))
      .reduce((total, { hits }) => total + hits, 0);
  const RECOVERED = ['redirected', 'clicked'];
  return {
    monday,
    not_founds: sum(true),
    recovered: sum(true, RECOVERED),
    not_founds_before: sum(false),
    recovered_before: sum(false, RECOVERED),
    missed: missed.slice(0, SHOWN),
    undecided: { count: undecided.length, paths: undecided.slice(0, SHOWN) },
    broken_links: broken,
    proposals: proposals.length,
    dead_redirects: dead.length,
    error_pages: pages.ERROR,
  };
}
