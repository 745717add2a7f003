import type { Db } from '../platform/database/db.js';
import { type Job, ofProjects } from '../platform/queue/job.js';
import type { JobQueue } from '../platform/queue/queue.js';
import {
  clearBestSuggestions,
  dropOldRollups,
  findPathsWithoutPlainHash,
  findStaleRollups,
  type LinkKey,
  linkSearches as linkSome,
  listWeeks,
  markRollups,
  rebuildWeek,
  setPlainHashes,
} from './store/rollups.js';

const MAX_ROWS = 2_000;

/** Makes the rollups of a project again, after rows were erased or an upgrade asks for it. */
export const rebuildRollups: Job<{ projectId: string }, { db: Db }> = {
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

/** Makes rollups again, a week in a transaction: what is stored meanwhile counts once. `weeks`: their Mondays. */
export async function rebuildProject(
  { db }: { db: Db },
  projectId: string,
  weeks?: readonly string[],
  onWeek?: () => void,
): Promise<void> {
  await clearBestSuggestions(db, projectId, weeks);
  for (const week of weeks ?? (await listWeeks(db))) {
    await rebuildWeek(db, projectId, week);
    onWeek?.();
  }
  await linkAll(db);
  await addPlainHashes(db, projectId);
  await markRollups(db, projectId, false);
}

async function addPlainHashes(db: Db, projectId: string): Promise<void> {
  for (;;) {
    const paths = await findPathsWithoutPlainHash(db, projectId, MAX_ROWS);
    if (paths.length === 0) return;
    await setPlainHashes(db, projectId, paths);
  }
}

const FIRST: LinkKey = {
  projectId: '00000000-0000-0000-0000-000000000000',
  searchId: '00000000-0000-0000-0000-000000000000',
};
/** A transaction links so many. Storing events of these projects waits for it. */
const MAX_LINKS = 1_000;
/** A search is stored a tenth of a second after its answer, or when the database is back. */
const PATIENCE_SECONDS = 120;
const FIRST_AFTER_SECONDS = 1;
const AGAIN_AFTER_SECONDS = 15;

/** Links searches to the clicks and 404s that name them, a second later: before, the search may not be stored. */
export const linkSearches: Job<{ again?: true }, { db: Db; queue: JobQueue }> = {
  name: 'link-searches',
  policy: 'short',
  options: { retryLimit: 5, retryDelay: 5, expireInSeconds: 600, deleteAfterSeconds: 60 },
  key: ({ again }) => (again ? 'again' : 'new'),
  delaySeconds: ({ again }) => (again ? AGAIN_AFTER_SECONDS : FIRST_AFTER_SECONDS),
  work: ({ db, queue }) => ({
    handle: async () => {
      if ((await linkAll(db)) > 0) await queue.enqueueNow(linkSearches, [{ again: true }]);
    },
  }),
};

/** @returns how many wait on for a search that is not stored yet */
export async function linkAll(db: Db): Promise<number> {
  let left = 0;
  for (let after: LinkKey | undefined = FIRST; after !== undefined;) {
    const { last, waiting } = await linkSome(db, after, MAX_LINKS, PATIENCE_SECONDS);
    left += waiting;
    after = last;
  }
  return left;
}
