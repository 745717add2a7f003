import type { Db } from '../platform/database/db.js';
import { linkSearches as linkSome, type LinkKey } from './store/rollups.js';
import type { Job } from '../platform/queue/job.js';
import type { JobQueue } from '../platform/queue/queue.js';

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
