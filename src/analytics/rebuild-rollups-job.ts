import type { Db } from '../platform/database/db.js';
import {
  clearBestSuggestions,
  dropOldRollups,
  findPathsWithoutPlainHash,
  findStaleRollups,
  listWeeks,
  markRollups,
  rebuildWeek,
  setPlainHashes,
} from './store/rollups.js';
import { ofProjects, type Job } from '../platform/queue/job.js';
import type { JobQueue } from '../platform/queue/queue.js';
import { pathKey } from '../text/paths/plain-path.js';
import { linkAll, linkSearches } from './link-searches-job.js';

const MAX_ROWS = 2_000;

export interface RebuildDeps {
  db: Db;
}

/** Makes the rollups of a project again, after rows were erased or an upgrade asks for it. */
export const rebuildRollups: Job<{ projectId: string }, RebuildDeps> = {
  name: 'rebuild-rollups',
  policy: 'short',
  options: { retryLimit: 3, retryDelay: 60, expireInSeconds: 7_200, heartbeatSeconds: 60, deleteAfterSeconds: 3_600 },
  key: ({ projectId }) => projectId,
  work: (deps) => ({
    handle: async (jobs) => {
      for (const { data } of jobs) await rebuildProject(deps, data.projectId);
    },
  }),
};

/** Hourly: drops sums from before `before`; queues those to be made again, and searches that wait for their events. */
export async function maintainAnalytics({ db, queue }: { db: Db; queue: JobQueue }, before: Date): Promise<void> {
  await dropOldRollups(db, before);
  await queue.enqueueNow(rebuildRollups, ofProjects(await findStaleRollups(db)));
  await queue.enqueueNow(linkSearches, [{}]);
}

/**
 * Makes a project's rollups again from its rows, a week in a transaction: what is stored meanwhile is counted once.
 * @param weeks Mondays; undefined: all weeks
 */
export async function rebuildProject(
  { db }: RebuildDeps,
  projectId: string,
  weeks?: readonly string[],
  onWeek: () => void = () => undefined,
): Promise<void> {
  await clearBestSuggestions(db, projectId, weeks);
  for (const week of weeks ?? (await listWeeks(db))) {
    await rebuildWeek(db, projectId, week);
    onWeek();
  }
  await linkAll(db);
  await addPlainHashes(db, projectId);
  await markRollups(db, projectId, false);
}

async function addPlainHashes(db: Db, projectId: string): Promise<void> {
  for (;;) {
    const paths = await findPathsWithoutPlainHash(db, projectId, MAX_ROWS);
    if (paths.length === 0) return;
    await setPlainHashes(
      db,
      projectId,
      paths.map((path) => ({ path, plain: pathKey(path) })),
    );
  }
}
