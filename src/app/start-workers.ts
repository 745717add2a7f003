import { queueModelChanges } from '../pages/indexing/change-model-job.js';
import { setWantedModel } from '../pages/store/models.js';
import { groupMissingPaths } from '../analytics/group-missing-paths-job.js';
import { maintenance, requeueStalledPages } from '../operations/maintenance-job.js';
import { proposeRulesJob } from '../rules/proposals/propose-rules-job.js';
import { watchProjects } from '../watch/watch-projects-job.js';
import { JOBS, type JobDeps } from './jobs.js';
import type { AppDeps } from './mount-routes.js';
import type { Config } from '../platform/settings/config.js';
import type { OpenDatabase } from '../platform/database/open-database.js';
import type { DailyLimit } from '../events/daily-limit.js';
import { ScanDetector } from '../events/scan-detector.js';
import type { DatabasesByDeadline } from './open-backends.js';
import { createBuildTrigger } from '../pages/large-projects/build-trigger.js';
import { buildSegments } from '../pages/large-projects/build-segments-job.js';
import { fitOwnWeights } from '../search/project-weights/fit-weights-job.js';
import { createPlannerStatistics } from '../platform/database/planner-statistics.js';
import { createSenders } from '../watch/deliver-message-job.js';

/** What workers are built from, beside the parts that they share with the API. */
interface WorkerParts {
  config: Config;
  database: OpenDatabase;
  databases: DatabasesByDeadline;
  history: DailyLimit;
}

/** Starts the workers of this process, one per queue. They end when the queue stops. */
export async function startWorkers(
  shared: AppDeps,
  { config, database, databases, history }: WorkerParts,
): Promise<void> {
  const { db } = database.connection;
  const { logger, queue } = shared;
  // Building an index would occupy the embedded database's one session for minutes.
  const ownIndexPassages = database.isEmbedded ? 0 : config.ownIndexPassages;
  const deps: JobDeps = {
    ...shared,
    db,
    dbWithSession: database.direct.db,
    dbWithDeadline: databases.working,
    tenants: databases.workingFor,
    statistics: createPlannerStatistics(db),
    buildTrigger: createBuildTrigger({
      queueBuild: (projectId) => queue.enqueueNow(buildSegments, [{ projectId }]),
      ownIndexPassages,
      logger,
    }),
    queueFit: (projectId) => queue.enqueueNow(fitOwnWeights, [{ projectId }]),
    ownIndexPassages,
    history,
    scans: new ScanDetector(),
    embedded: database.isEmbedded,
    senders: createSenders(config),
  };
  // Before the first job: a model change for another model than the wanted one is put back (change-model.ts).
  await setWantedModel(deps.db, deps.models.configured.modelId);
  for (const job of JOBS) await queue.work(job, deps);
  await queue.schedule(maintenance, '17 * * * *');
  await queue.schedule(proposeRulesJob, '41 2 * * *');
  await queue.schedule(groupMissingPaths, '11 3 * * *');
  await queue.schedule(watchProjects, '*/5 * * * *');
  await queue.enqueueNow(maintenance, [{}]);
  await queueModelChanges(deps);
  // The embedded database has one process: pages in PROCESSING at its start were interrupted by a kill.
  if (deps.embedded) await requeueStalledPages(deps, 0);
}
