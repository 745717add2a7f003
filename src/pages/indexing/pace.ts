import type { Logger } from '../../base/logger.js';
import type { Db } from '../../platform/database/db.js';
import type { Tenant } from '../../platform/database/session/tenants.js';
import { amount, countOf } from '../../text/count-of.js';
import { countWaitingPages, readPagesPerMinute, type IndexState } from '../store/page-counts.js';

/** Describes a pace: "412 pages a minute, 3 minutes left"; empty if no page was indexed lately. */
export function describePace(perMinute: number, waiting: number): string {
  if (perMinute === 0) return '';
  const minutes = waiting / perMinute;
  const left =
    minutes < 1
      ? 'less than a minute'
      : minutes < 120
        ? countOf(Math.round(minutes), 'minute')
        : countOf(Math.round(minutes / 60), 'hour');
  return `${countOf(perMinute, 'page')} a minute, ${left} left`;
}

/** Describes how fast a project's waiting pages are indexed; empty if none waits. */
export async function readPace(db: Db, projectId: string, waiting: number): Promise<string> {
  return waiting === 0 ? '' : describePace(await readPagesPerMinute(db, projectId), waiting);
}

/** Describes how far the pages of a project are: `1,200 found, 340 understood, 860 waiting`. */
export function describeIndex({ searchable, understood, cut, waiting, failed }: IndexState, pace = ''): string {
  const counts = [
    `${amount(searchable)} found`,
    ...(understood < searchable ? [`${amount(understood)} understood`] : []),
    ...(waiting > 0 ? [`${amount(waiting)} waiting${pace && ` (${pace})`}`] : []),
    ...(failed > 0 ? [`${amount(failed)} failed`] : []),
    ...(cut > 0 ? [`the ends of ${amount(cut)} long ones by words alone`] : []),
  ];
  return counts.join(', ');
}

export type PaceLog = ReturnType<typeof createPaceLog>;

const EVERY_MS = 60_000;
const MAX_PROJECTS = 1_000;

/** Logs once a minute how fast a project's pages are indexed and how long it will take. */
export function createPaceLog(logger: Logger, clock = () => performance.now()) {
  const loggedAt = new Map<string, number>();
  return {
    pagesStored: async ({ projectId, db }: Tenant): Promise<void> => {
      const now = clock();
      const last = loggedAt.get(projectId);
      if (last !== undefined && now - last < EVERY_MS) return;
      if (loggedAt.size >= MAX_PROJECTS) loggedAt.clear();
      loggedAt.set(projectId, now);
      // The first pages of many give no pace yet.
      if (last === undefined || now - last > 2 * EVERY_MS) return;
      const [waiting, perMinute] = await Promise.all([
        countWaitingPages(db, projectId),
        readPagesPerMinute(db, projectId),
      ]);
      const pace = describePace(perMinute, waiting);
      if (waiting > 0)
        logger.info(`pages are being indexed: ${pace}`, {
          project_id: projectId,
          waiting,
          pages_per_minute: perMinute,
        });
    },
  };
}
