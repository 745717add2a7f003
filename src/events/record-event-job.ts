import type { JobResult, JobWithMetadata } from 'pg-boss';
import { isDatabaseUnavailable, isWorkerAway } from '../platform/database/session/database-errors.js';
import type { Db } from '../platform/database/db.js';
import type { DailyLimit } from './daily-limit.js';
import type { IndexChanges } from '../projects/index-changes.js';
import type { Logger } from '../base/logger.js';
import type { Metrics } from '../platform/telemetry/metrics.js';
import { byProject, type Job } from '../platform/queue/job.js';
import type { JobQueue } from '../platform/queue/queue.js';
import type { VisitorEvent } from './read-event.js';
import { refuseEvent } from './refuse-event.js';
import type { ScanDetector } from './scan-detector.js';
import { storeEvents } from './store-events.js';

export interface RecordEventPayload {
  eventId: string;
  projectId: string;
  isTest: boolean;
  receivedAt: string;
  event: VisitorEvent;
}

export interface RecordDeps {
  db: Db;
  queue: JobQueue;
  indexChanges: IndexChanges;
  history: DailyLimit;
  scans: ScanDetector;
  metrics: Pick<Metrics, 'eventsRefused'>;
  logger: Logger;
}

export type EventJob = JobWithMetadata<RecordEventPayload>;

export const recordEvent: Job<RecordEventPayload, RecordDeps & { dbWithDeadline: Db }> = {
  name: 'record-event',
  policy: 'standard',
  id: ({ eventId }) => eventId,
  options: {
    notify: true,
    // The event was acknowledged: retries go on for days.
    retryLimit: 200,
    retryDelay: 2,
    retryBackoff: true,
    retryDelayMax: 1_800,
    expireInSeconds: 300,
    heartbeatSeconds: 15,
    deleteAfterSeconds: 60,
    // pg-boss deletes jobs that wait longer, by default 14 days; an operator may be without a worker for that long.
    retentionSeconds: 365 * 86_400,
  },
  work: (deps) => ({
    batchSize: 200,
    burstWhenBatchFull: true,
    perJobResults: true,
    handle: (jobs) => recordInHalves({ ...deps, db: deps.dbWithDeadline }, jobs),
  }),
};

/**
 * Stores a batch of events. When the database refuses one, the batch is halved until that event fails alone; the
 * others, which may be other projects', are stored at once. While the database is away, the whole batch is retried;
 * while a worker of Citus is, the events of its projects are.
 */
async function recordInHalves(deps: RecordDeps, jobs: readonly EventJob[]): Promise<JobResult[]> {
  try {
    await storeEvents(deps, jobs);
    return jobs.map(({ id }) => ({ id, status: 'completed' }));
  } catch (error) {
    if (isWorkerAway(error)) return recordByProject(deps, jobs);
    if (isDatabaseUnavailable(error)) throw error;
    const [only] = jobs;
    if (jobs.length === 1 && only) return [await refuseEvent(deps, only, error)];
    const half = Math.ceil(jobs.length / 2);
    return [...(await recordInHalves(deps, jobs.slice(0, half))), ...(await recordInHalves(deps, jobs.slice(half)))];
  }
}

/** Of one project, they are retried together. */
async function recordByProject(deps: RecordDeps, jobs: readonly EventJob[]): Promise<JobResult[]> {
  const projects = byProject(jobs);
  if (projects.length === 1)
    return jobs.map(({ id }) => ({ id, status: 'failed', output: { message: 'the worker of its project is away' } }));
  const results: JobResult[] = [];
  for (const some of projects) results.push(...(await recordInHalves(deps, some)));
  return results;
}
