import type { JobResult, JobWithMetadata } from 'pg-boss';
import { messageOf } from '../base/errors.js';
import type { Db } from '../platform/database/db.js';
import { inTransaction } from '../platform/database/session/connect.js';
import { isDatabaseUnavailable, isWorkerAway, sqlState } from '../platform/database/session/database-errors.js';
import { byProject, type Job } from '../platform/queue/job.js';
import { insertRefusedEvent } from './store/history-days.js';
import { storeEvents, type RecordDeps, type RecordEventPayload } from './store-events.js';

/** Events that were queued by one statement. */
interface RecordEventsPayload {
  events: readonly RecordEventPayload[];
}

type EventJob = JobWithMetadata<RecordEventPayload>;
type EventsJob = JobWithMetadata<RecordEventsPayload>;

/** One job, and one transaction, stores so many events. */
export const MAX_EVENTS_PER_JOB = 100;
const MAX_EVENTS_STORED = 1_000;

const OPTIONS: Job<object>['options'] = {
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
};

/** Events as they come: docs/evidence/decisions/0084-events-share-jobs.md. */
export const recordEvents: Job<RecordEventsPayload, RecordDeps & { dbWithDeadline: Db }> = {
  name: 'record-events',
  policy: 'standard',
  parts: ({ events }) => events,
  // No notice: a worker elsewhere finds them when it polls.
  options: { ...OPTIONS, notify: false },
  work: (deps) => ({
    batchSize: 50,
    burstWhenBatchFull: true,
    perJobResults: true,
    handle: async (jobs) => {
      const results: JobResult[] = [];
      for (const some of inTransactions(jobs))
        results.push(...(await record({ ...deps, db: deps.dbWithDeadline }, some)));
      return results;
    },
  }),
};

/** The jobs by the transactions that store their events. */
function inTransactions(jobs: readonly EventsJob[]): EventsJob[][] {
  const groups: EventsJob[][] = [];
  let events = MAX_EVENTS_STORED;
  for (const job of jobs) {
    events += job.data.events.length;
    if (events > MAX_EVENTS_STORED) {
      groups.push([]);
      events = job.data.events.length;
    }
    groups.at(-1)?.push(job);
  }
  return groups;
}

/** When the database refuses an event, or cannot reach a project, each gets a job, once however often this runs. */
async function record(deps: RecordDeps, jobs: readonly EventsJob[]): Promise<JobResult[]> {
  const events = jobs.flatMap(({ data }) => data.events);
  const parts = events.map((data) => ({ data }));
  try {
    await storeEvents(deps, parts);
  } catch (error) {
    if (isDatabaseUnavailable(error) && !isWorkerAway(error)) throw error;
    await inTransaction(deps.db, (trx) => deps.queue.enqueue(trx, recordEvent, events));
    deps.queue.wake(recordEvent);
  }
  return jobs.map(({ id }) => ({ id, status: 'completed' }));
}

/** An event by itself: perhaps what the database refused, or what an operator queues again (analytics.md). */
export const recordEvent: Job<RecordEventPayload, RecordDeps & { dbWithDeadline: Db }> = {
  name: 'record-event',
  policy: 'standard',
  id: ({ eventId }) => eventId,
  options: { ...OPTIONS, notify: true },
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

/** Records the events of one project at a time: they are retried together. */
async function recordByProject(deps: RecordDeps, jobs: readonly EventJob[]): Promise<JobResult[]> {
  const projects = byProject(jobs);
  if (projects.length === 1)
    return jobs.map(({ id }) => ({ id, status: 'failed', output: { message: 'the worker of its project is away' } }));
  const results: JobResult[] = [];
  for (const some of projects) results.push(...(await recordInHalves(deps, some)));
  return results;
}

/** Classes of SQLSTATE (its first two characters) that no retry can cure. */
const PERMANENT: Record<string, string> = {
  22: 'a value that its column does not take',
  23: 'a constraint refuses it',
  54: 'longer than the database can store or index',
};
/** For other errors: a retry may succeed, but must not go on for days. */
const MAX_TRIES = 5;

/** Tries an event that failed alone again, or sets it aside. The message may quote its content: it is not logged. */
async function refuseEvent(deps: RecordDeps, job: EventJob, error: unknown): Promise<JobResult> {
  const { projectId, eventId, receivedAt, event } = job.data;
  const state = sqlState(error) ?? 'none';
  const known = PERMANENT[state.slice(0, 2)];
  const reason = known ?? 'an error that is not about its content';
  const about = { project_id: projectId, event_id: eventId, type: event.type, reason, sqlstate: state };
  if (known === undefined && job.retryCount + 1 < MAX_TRIES) {
    deps.logger.warn('an event could not be stored and is tried again', { ...about, attempt: job.retryCount + 1 });
    return { id: job.id, status: 'failed', output: { message: `${reason}: ${state}` } };
  }
  const refused = {
    project_id: projectId,
    event_id: eventId,
    received_at: receivedAt,
    reason: `${reason}: ${messageOf(error).slice(0, 500)} (SQLSTATE ${state})`,
    event: job.data,
  };
  await insertRefusedEvent(deps.db, refused, deps.history.bytesPerDay);
  deps.metrics.eventsRefused.inc();
  deps.logger.warn('an event cannot be stored and was set aside in pathmend.refused_events', about);
  return { id: job.id, status: 'completed' };
}
