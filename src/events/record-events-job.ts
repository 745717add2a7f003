import type { JobResult, JobWithMetadata } from 'pg-boss';
import { inTransaction } from '../platform/database/session/connect.js';
import { isDatabaseUnavailable, isWorkerAway } from '../platform/database/session/database-errors.js';
import type { Db } from '../platform/database/db.js';
import type { Job } from '../platform/queue/job.js';
import { recordEvent, type RecordDeps, type RecordEventPayload } from './record-event-job.js';
import { storeEvents } from './store-events.js';

/** Events that were queued by one statement. */
export interface RecordEventsPayload {
  events: readonly RecordEventPayload[];
}

type EventsJob = JobWithMetadata<RecordEventsPayload>;

/** Of one job, and of one transaction that stores them. */
export const MAX_EVENTS_PER_JOB = 100;
const MAX_EVENTS_STORED = 1_000;

/**
 * Events as they come: docs/decisions/0084-events-share-jobs.md. One that the database refuses alone is a job of its
 * own (record-event-job.ts).
 */
export const recordEvents: Job<RecordEventsPayload, RecordDeps & { dbWithDeadline: Db }> = {
  name: 'record-events',
  policy: 'standard',
  parts: ({ events }) => events,
  // No notice: a worker elsewhere finds them when it polls.
  options: { ...recordEvent.options, notify: false },
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

/**
 * When the database refuses one of them, or cannot reach a project's rows, each gets a job of its own, once however
 * often this one runs.
 */
async function record(deps: RecordDeps, jobs: readonly EventsJob[]): Promise<JobResult[]> {
  const events = jobs.flatMap(({ data }) => data.events);
  try {
    await storeEvents(
      deps,
      events.map((data) => ({ data })),
    );
  } catch (error) {
    if (isDatabaseUnavailable(error) && !isWorkerAway(error)) throw error;
    await inTransaction(deps.db, (trx) => deps.queue.enqueue(trx, recordEvent, events));
    deps.queue.wake(recordEvent);
  }
  return jobs.map(({ id }) => ({ id, status: 'completed' }));
}
