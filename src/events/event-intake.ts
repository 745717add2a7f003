import { isDatabaseUnavailable } from '../database/session/database-errors.js';
import { withCause } from '../queue/cause.js';
import type { JobQueue } from '../queue/queue.js';
import { inScope } from '../telemetry/scope.js';
import type { RecordEventPayload } from './record-event.js';
import { MAX_EVENTS_PER_JOB, recordEvents } from './record-events.js';

/** Queues events durably. */
export interface EventIntake {
  /** Resolves when the event is stored in the queue. */
  add(event: RecordEventPayload): Promise<void>;
}

interface Waiter {
  event: RecordEventPayload;
  done: () => void;
  failed: (error: unknown) => void;
}

/** While one statement waits for the disk, the next is made ready. */
const MAX_STATEMENTS = 2;
const MAX_EVENTS_PER_STATEMENT = 500;

/**
 * Events that come while others are being queued go into one statement together, and share its jobs; nobody waits for
 * anything else.
 * A commit that wakes workers (NOTIFY) has all others of its kind wait behind it until the disk has it: one by one,
 * 200 events a second were queued on a disk that takes 5 ms.
 */
export function createEventIntake(queue: Pick<JobQueue, 'enqueueNow' | 'wake'>): EventIntake {
  const waiting: Waiter[] = [];
  let running = 0;

  function run(): void {
    while (running < MAX_STATEMENTS && waiting.length > 0) {
      running++;
      const batch = waiting.splice(0, MAX_EVENTS_PER_STATEMENT);
      // For several requests, not for the one that began it.
      void inScope({ operation: '/v1/events' }, () => store(batch)).finally(() => {
        running--;
        run();
      });
    }
  }

  async function store(batch: readonly Waiter[]): Promise<void> {
    try {
      const jobs: { events: RecordEventPayload[] }[] = [];
      for (let from = 0; from < batch.length; from += MAX_EVENTS_PER_JOB)
        jobs.push({ events: batch.slice(from, from + MAX_EVENTS_PER_JOB).map(({ event }) => event) });
      await queue.enqueueNow(recordEvents, jobs);
      queue.wake(recordEvents);
      for (const { done } of batch) done();
    } catch (error) {
      if (batch.length === 1 || isDatabaseUnavailable(error)) {
        for (const { failed } of batch) failed(error);
        return;
      }
      // Halved, as where they are recorded: one that is refused costs the others a few statements, not hundreds.
      const half = Math.ceil(batch.length / 2);
      await store(batch.slice(0, half));
      await store(batch.slice(half));
    }
  }

  return {
    add: (event) =>
      new Promise((done, failed) => {
        waiting.push({ event: withCause(event), done, failed });
        run();
      }),
  };
}
