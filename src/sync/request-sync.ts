import { type Actor, recordChange } from '../accounts/actor.js';
import { invalid } from '../base/errors.js';
import type { Db, Trx } from '../platform/database/db.js';
import { inTransaction } from '../platform/database/session/connect.js';
import type { Job } from '../platform/queue/job.js';
import { findProject } from '../projects/store/projects.js';
import { describeSource, type SourceDeps } from './project-source.js';
import { shownSource } from './record-run.js';
import { findProjectSource, postponeSource, takeDueSources } from './store/project-sources.js';
import { addSyncRun, endLostRuns, findOpenRun, findOpenRuns } from './store/run-turns.js';
import { findSyncRun, type SyncRunRow } from './store/sync-runs.js';
import { previewSource, syncSource } from './sync-source-job.js';

/**
 * Queues a sync of a project from its source, or a preview, unless a run of the same kind has not ended.
 * @returns the id of the new run or of that one, for {@link readRun}
 * @throws ApiError if the project has no source
 */
export async function requestSync(
  deps: SourceDeps,
  projectId: string,
  { preview, by }: { preview: boolean; by: Actor },
): Promise<string> {
  const runId = await inTransaction(deps.db, async (trx) => {
    const source = await findProjectSource(trx, projectId);
    if (!source) throw invalid('source', 'The project has no source yet.');
    if (!preview) {
      await recordChange(trx, by, await findProject(trx, projectId), 'sync asked for', describeSource(source));
      await postponeSource(trx, projectId, new Date(deps.clock.now()));
    }
    return queueRun(trx, deps, projectId, { preview, by: by.who });
  });
  deps.queue.wake(preview ? previewSource : syncSource);
  return runId;
}

/** Queues a run unless one of its kind is open. Returns the id of either; empty if the project has no source. */
async function queueRun(
  trx: Trx,
  { queue, clock }: Omit<SourceDeps, 'db'>,
  projectId: string,
  { preview, by }: { preview: boolean; by: string },
): Promise<string> {
  const source = await findProjectSource(trx, projectId);
  const open = await findOpenRun(trx, projectId, preview);
  if (open !== undefined || !source) return open ?? '';
  const run = { source: shownSource(source.source), prune: source.prune, dryRun: false, preview, by, begins: false };
  const runId = await addSyncRun(trx, projectId, { ...run, at: new Date(clock.now()) });
  // A concurrent request has just added a run.
  if (runId === undefined) return (await findOpenRun(trx, projectId, preview)) ?? '';
  await queue.enqueue(trx, preview ? previewSource : syncSource, [{ projectId, runId }]);
  return runId;
}

type RunState = 'waiting' | 'running' | 'done' | 'failed';

/** A run and its state. The counts of `report` grow while the run is running. */
export type Run = SyncRunRow & { state: RunState };

/** One run of a project; undefined if it does not exist or was dropped. */
export async function readRun(db: Db, projectId: string, runId: string): Promise<Run | undefined> {
  const row = await findSyncRun(db, projectId, runId);
  return row && { ...row, state: stateOf(row) };
}

export function stateOf({ ended_at, outcome, heard_at }: SyncRunRow): RunState {
  if (ended_at !== null) return outcome === 'failed' ? 'failed' : 'done';
  return heard_at === null ? 'waiting' : 'running';
}

/** The maximum number of runs that are queued at once; the others follow a minute later. */
const MAX_DUE = 100;
const SCHEDULE = 'schedule';

/** Queues, each minute, the syncs that are due, and the runs that were cut off or found another one active. */
export const syncDue: Job<Record<string, never>, SourceDeps> = {
  name: 'sync-due',
  policy: 'short',
  options: { retryLimit: 0, expireInSeconds: 120, deleteAfterSeconds: 600 },
  work: (deps) => ({ pollingSeconds: 5, handle: () => queueDueSyncs(deps) }),
};

export async function queueDueSyncs(deps: SourceDeps): Promise<void> {
  const { db, queue, clock } = deps;
  const now = new Date(clock.now());
  await endLostRuns(db, now);
  await inTransaction(db, async (trx) => {
    for (const projectId of await takeDueSources(trx, now, MAX_DUE))
      await queueRun(trx, deps, projectId, { preview: false, by: SCHEDULE });
  });
  const open = await findOpenRuns(db, MAX_DUE);
  for (const job of [syncSource, previewSource]) {
    const runs = open.filter(({ preview }) => preview === (job === previewSource));
    const payloads = runs.map(({ project_id: projectId, run_id: runId }) => ({ projectId, runId }));
    await queue.enqueueNow(job, payloads);
    queue.wake(job);
  }
}
