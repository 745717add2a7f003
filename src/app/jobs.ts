import type { Db } from '../platform/database/db.js';
import { linkSearches, rebuildRollups } from '../analytics/rebuild-rollups-job.js';
import { recordEvent, recordEvents } from '../events/record-events-job.js';
import type { RecordDeps } from '../events/store-events.js';
import {
  buildSegments,
  type BuildSegmentsDeps,
  createBuildTrigger,
} from '../pages/large-projects/build-segments-job.js';
import { maintenance, type MaintenanceDeps } from '../operations/maintenance-job.js';
import { syncDue } from '../sync/request-sync.js';
import { previewSource, syncSource, type SyncSourceDeps } from '../sync/sync-source-job.js';
import { changeAlerts } from '../watch/send-alerts.js';
import { requeueStalledPages } from '../pages/maintain-pages.js';
import { proposeRulesJob, type ProposeRulesDeps } from '../rules/proposals/propose-rules-job.js';
import { embedQuestions } from '../rules/embed-questions-job.js';
import { learnRedirects } from '../rules/learn-redirects-job.js';
import { changeModel, queueModelChanges } from '../pages/indexing/change-model-job.js';
import { indexWords } from '../pages/indexing/index-words-job.js';
import { createPaceLog } from '../pages/indexing/pace.js';
import { vectorizeLongPage, vectorizePage, type VectorizePageDeps } from '../pages/indexing/vectorize-job.js';
import type { Job } from '../platform/queue/job.js';
import { createSenders } from '../watch/channels.js';
import { deliverMessage, type DeliverDeps } from '../watch/deliver-message-job.js';
import { watchProjects, type WatchDeps } from '../watch/watch-projects-job.js';
import { mapSheet, type MapSheetDeps } from '../search/map-sheet-job.js';
import { setInstallationModel } from '../pages/store/model-choices.js';
import { AUTO, modelChoice } from '../embedding/locate-model.js';
import type { AppDeps } from './mount-routes.js';
import type { Config } from '../platform/settings/config.js';
import type { OpenDatabase } from '../platform/database/open-database.js';
import type { DailyLimit } from '../events/daily-limit.js';
import { ScanDetector } from '../events/scan-detector.js';
import type { DatabasesByDeadline } from './open-backends.js';
import { createPlannerStatistics } from '../platform/database/maintenance.js';

export type JobDeps = VectorizePageDeps &
  MaintenanceDeps &
  BuildSegmentsDeps &
  RecordDeps &
  MapSheetDeps &
  ProposeRulesDeps &
  WatchDeps &
  DeliverDeps &
  SyncSourceDeps & {
    /** The database for short jobs, whose statements fail soon when the database stops answering. */
    dbWithDeadline: Db;
  };

export const JOBS = [
  indexWords,
  vectorizePage,
  vectorizeLongPage,
  recordEvents,
  recordEvent,
  linkSearches,
  rebuildRollups,
  changeModel,
  learnRedirects,
  embedQuestions,
  buildSegments,
  mapSheet,
  proposeRulesJob,
  watchProjects,
  deliverMessage,
  syncSource,
  previewSource,
  syncDue,
  maintenance,
] as readonly Job<never, JobDeps>[];

/** The parts that workers need in addition to those that they share with the API. */
interface WorkerParts {
  config: Config;
  database: OpenDatabase;
  databases: DatabasesByDeadline;
  history: DailyLimit;
}

/** The time of a chunk while the model is not known: that of the English model, on one core. */
const UNKNOWN_CHUNK_MS = 15;

/** Starts the workers of this process, one per queue. They end when the queue stops. */
export async function startWorkers(shared: AppDeps, { config, database, databases, history }: WorkerParts) {
  const { db } = database.connection;
  const { logger, queue } = shared;
  // Building an index would occupy the embedded database's one session for minutes.
  const ownIndexChunks = database.isEmbedded ? 0 : config.ownIndexChunks;
  // The start fails if the name leads to no model.
  const name = modelChoice(config.embeddingModel);
  const named = name === AUTO ? undefined : await shared.models.named(name);
  await setInstallationModel(db, name);
  const deps: JobDeps = {
    ...shared,
    chunkMs: named?.model.chunkMs ?? UNKNOWN_CHUNK_MS,
    db,
    dbWithSession: database.direct.db,
    dbWithDeadline: databases.working,
    tenants: databases.workingFor,
    statistics: createPlannerStatistics(db),
    buildTrigger: createBuildTrigger({ queue, ownIndexChunks, logger }),
    paceLog: createPaceLog(logger),
    ownIndexChunks,
    history,
    scans: new ScanDetector(),
    embedded: database.isEmbedded,
    senders: createSenders(config),
    siteNetworks: config.siteNetworks,
    onPrune: (projectId, held) => {
      const alerts = held ? [{ key: '', cause: held }] : [];
      return changeAlerts({ db, queue, clock: shared.clock }, projectId, 'refused_prune', alerts);
    },
  };
  for (const job of JOBS) await queue.work(job, deps);
  await queue.schedule(maintenance, '17 * * * *');
  await queue.schedule(proposeRulesJob, '41 2 * * *');
  await queue.schedule(syncDue, '* * * * *');
  await queue.schedule(watchProjects, '*/5 * * * *');
  await queue.enqueueNow(maintenance, [{}]);
  await queueModelChanges(deps);
  // The embedded database has one process: pages in PROCESSING at its start were interrupted by a kill.
  if (deps.embedded) await requeueStalledPages(deps, 0);
}
