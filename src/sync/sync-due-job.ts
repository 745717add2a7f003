import { inTransaction } from '../platform/database/session/connect.js';
import type { Job } from '../platform/queue/job.js';
import type { SourceDeps } from './project-source.js';
import { queueSync } from './request-sync.js';
import { takeDueSources } from './store/project-sources.js';
import { endLostRuns, findOpenRuns } from './store/run-turns.js';
import { previewSource, syncSource } from './sync-source-job.js';

/** Projects per run; the others follow a minute later. */
const MAX_DUE = 100;
export const SCHEDULE = 'schedule';

/** Queues, each minute, the syncs that are due, were cut off, or found another run active. */
export const syncDue: Job<Record<string, never>, SourceDeps> = {
  name: 'sync-due',
  policy: 'short',
  options: { retryLimit: 0, expireInSeconds: 120, deleteAfterSeconds: 600 },
  work: (deps) => ({
    pollingSeconds: 5,
    handle: () => queueDueSyncs(deps),
  }),
};

export async function queueDueSyncs(deps: SourceDeps): Promise<void> {
  const { db, queue, clock } = deps;
  const now = new Date(clock.now());
  await endLostRuns(db, now);
  await inTransaction(db, async (trx) => {
    for (const projectId of await takeDueSources(trx, now, MAX_DUE))
      await queueSync(trx, deps, projectId, { preview: false, by: SCHEDULE });
  });
  const open = await findOpenRuns(db, MAX_DUE);
  for (const job of [syncSource, previewSource]) {
    const runs = open.filter(({ preview }) => preview === (job === previewSource));
    await queue.enqueueNow(
      job,
      runs.map((run) => ({ projectId: run.project_id, runId: run.run_id })),
    );
    queue.wake(job);
  }
}
