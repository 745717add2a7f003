import type { Db } from '../platform/database/db.js';
import { groupMissingPaths, type GroupPathsDeps } from '../analytics/group-missing-paths-job.js';
import { linkSearches } from '../analytics/link-searches-job.js';
import { rebuildRollups } from '../analytics/rebuild-rollups-job.js';
import { recordEvent, type RecordDeps } from '../events/record-event-job.js';
import { recordEvents } from '../events/record-events-job.js';
import { buildSegments, type BuildSegmentsDeps } from '../pages/large-projects/build-segments-job.js';
import { maintenance, type MaintenanceDeps } from '../operations/maintenance-job.js';
import { proposeRulesJob, type ProposeRulesDeps } from '../rules/proposals/propose-rules-job.js';
import { learnMoves } from '../rules/learn-moves-job.js';
import { changeModel, type ChangeModelDeps } from '../pages/indexing/change-model-job.js';
import { vectorizeLongPage, vectorizePage, type VectorizePageDeps } from '../pages/indexing/vectorize-job.js';
import type { Job } from '../platform/queue/job.js';
import { deliverMessage, type DeliverDeps } from '../watch/deliver-message-job.js';
import { watchProjects, type WatchDeps } from '../watch/watch-projects-job.js';
import { fitOwnWeights, type FitOwnWeightsDeps } from '../search/project-weights/fit-weights-job.js';

export type JobDeps = VectorizePageDeps &
  ChangeModelDeps &
  MaintenanceDeps &
  BuildSegmentsDeps &
  RecordDeps &
  FitOwnWeightsDeps &
  ProposeRulesDeps &
  GroupPathsDeps &
  WatchDeps &
  DeliverDeps & {
    /** For short jobs: fails soon when the database stops answering. */
    dbWithDeadline: Db;
  };

/** All jobs. */
export const JOBS = [
  vectorizePage,
  vectorizeLongPage,
  recordEvents,
  recordEvent,
  linkSearches,
  rebuildRollups,
  groupMissingPaths,
  changeModel,
  learnMoves,
  buildSegments,
  fitOwnWeights,
  proposeRulesJob,
  watchProjects,
  deliverMessage,
  maintenance,
] as readonly Job<never, JobDeps>[];
