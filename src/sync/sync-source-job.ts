import type { Clock } from '../base/clock.js';
import { ApiError, OperatorError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { createPageCheck } from '../pages/check-page.js';
import type { DeleteDeps } from '../pages/delete-pages.js';
import { countPagesByStatus } from '../pages/store/page-counts.js';
import type { Db } from '../platform/database/db.js';
import { inTransaction } from '../platform/database/session/connect.js';
import { sqlState } from '../platform/database/session/database-errors.js';
import type { Tenants } from '../platform/database/session/tenants.js';
import type { Job } from '../platform/queue/job.js';
import { storeBrokenLinks } from './broken-links.js';
import { previewFoundSource, readSourceInThread } from './read-source.js';
import { startHeartbeat, type RecordedRun } from './record-run.js';
import { PREVIEW_BOUNDS, SYNC_BOUNDS, withTurns, type SyncTurns } from './run-bounds.js';
import { findProjectSource, setFollowsLinks, type ProjectSource } from './store/project-sources.js';
import { beginSyncRun, endCutOffRuns } from './store/run-turns.js';
import { StoredValidators } from './stored-validators.js';
import { syncPages } from './sync-pages.js';

export interface SyncSourceDeps extends DeleteDeps {
  db: Db;
  tenants: Tenants;
  clock: Clock;
  logger: Logger;
  /** The private networks that guarded sources may reach (SITE_NETWORKS). */
  siteNetworks: readonly string[];
  /** Called after each sync with `prune`; `held` is set if the sync deleted nothing. */
  onPrune: (projectId: string, held: { gone: number; pages: number; reason: string } | undefined) => Promise<void>;
}

type RunDeps = SyncSourceDeps & { turns: SyncTurns };

interface Payload {
  projectId: string;
  runId: string;
}

/**
 * A worker opens many runs, since most of them wait for their sites, and it opens previews in addition to syncs, since
 * a person waits for a preview. Their work takes turns (run-bounds.ts). Projects take turns to begin.
 */
function sourceJob(name: string, localConcurrency: number, pollingSeconds: number): Job<Payload, SyncSourceDeps> {
  return {
    name,
    policy: 'short',
    key: ({ runId }) => runId,
    fairShare: { by: ({ projectId }) => projectId, seconds: 60 },
    options: {
      notify: true,
      // request-sync.ts queues a run again that was cut off.
      retryLimit: 0,
      expireInSeconds: 6 * 3_600,
      heartbeatSeconds: 60,
      deleteAfterSeconds: 3_600,
    },
    work: (deps) => ({
      // Each of the concurrent workers polls.
      pollingSeconds,
      localConcurrency,
      handle: async (jobs) => {
        for (const { data, signal } of jobs)
          await withTurns(data.projectId, signal, (turns) => runSource({ ...deps, turns }, data, signal));
      },
    }),
  };
}

export const syncSource = sourceJob('sync-source', 16, 10);
export const previewSource = sourceJob('preview-source', 8, 3);

const UNIQUE_VIOLATION = '23505';

/** Does a run, or leaves it to request-sync.ts while another run of the project is active. */
async function runSource(deps: RunDeps, { projectId, runId }: Payload, stopping: AbortSignal): Promise<void> {
  const run = await inTransaction(deps.db, async (trx) => {
    const at = new Date(deps.clock.now());
    await endCutOffRuns(trx, projectId, { at, isAlone: false, except: runId });
    return beginSyncRun(trx, projectId, runId, at);
  }).catch((error: unknown) => {
    // Another run began concurrently.
    if (sqlState(error) === UNIQUE_VIOLATION) return undefined;
    throw error;
  });
  const source = run && (await findProjectSource(deps.db, projectId));
  if (!run || !source) return;
  const recorded = startHeartbeat(deps, projectId, run, source.source);
  const signal = AbortSignal.any([stopping, recorded.signal]);
  try {
    if (run.preview) await preview(deps, projectId, source, recorded, signal);
    else await sync(deps, projectId, source, recorded, signal);
  } catch (error) {
    // This process is shutting down: another one starts the run again.
    if (stopping.aborted) await recorded.release();
    else await recorded.fail(error);
    if (!(error instanceof OperatorError || error instanceof ApiError)) throw error;
  }
}

async function preview(
  { tenants, turns, siteNetworks: networks }: RunDeps,
  projectId: string,
  source: ProjectSource,
  recorded: RecordedRun,
  signal: AbortSignal,
): Promise<void> {
  const tenant = tenants.addressOf(projectId);
  const task = { tenant, source, networks, bounds: PREVIEW_BOUNDS, skipsUnchanged: false };
  const read = readSourceInThread(task, signal, turns, () => undefined);
  await recorded.endPreview(await previewFoundSource(read, recorded.progress));
}

async function sync(
  deps: RunDeps,
  projectId: string,
  source: ProjectSource,
  recorded: RecordedRun,
  signal: AbortSignal,
): Promise<void> {
  const { db, tenants, siteNetworks: networks } = deps;
  const tenant = tenants.of(projectId, signal);
  const validators = new StoredValidators(tenant);
  const task = { tenant: tenants.addressOf(projectId), source, networks, bounds: SYNC_BOUNDS, skipsUnchanged: true };
  const read = readSourceInThread(task, signal, deps.turns, (url, known) => validators.set(url, known));
  const stored = Object.values(await countPagesByStatus(db, projectId)).reduce((sum, pages) => sum + pages, 0);
  const result = await syncPages(
    {
      ...deps,
      check: createPageCheck(),
      validators,
      onProgress: (_items, report) => recorded.progress(report),
      signal,
    },
    tenant,
    read.items,
    { prune: source.prune },
  );
  if (read.brokenLinks) await storeBrokenLinks(db, projectId, read.brokenLinks, new Date(deps.clock.now()));
  if (source.kind === 'url' && read.followsLinks !== undefined)
    await setFollowsLinks(db, projectId, source.source, read.followsLinks);
  await recorded.end(result, Object.fromEntries(read.leftOut.map(({ reason, count }) => [reason, count])));
  const { notPruned: reason, report } = result;
  if (source.prune)
    await deps.onPrune(projectId, reason === undefined ? undefined : { gone: report.gone, pages: stored, reason });
}
