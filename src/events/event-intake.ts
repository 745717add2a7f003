import type { Db } from '../platform/database/db.js';
import { isDatabaseUnavailable } from '../platform/database/session/database-errors.js';
import { withCause } from '../platform/queue/job.js';
import type { JobQueue } from '../platform/queue/queue.js';
import { currentScope, inScope } from '../platform/telemetry/tracing.js';
import { MAX_EVENTS_PER_JOB, recordEvents } from './record-events-job.js';
import type { RecordEventPayload } from './store-events.js';

/** Queues events durably. */
export type EventIntake = ReturnType<typeof createEventIntake>;

interface Waiter {
  event: RecordEventPayload;
  done: () => void;
  failed: (error: unknown) => void;
}

/** While one statement waits for the disk, the next is made ready. */
const MAX_STATEMENTS = 2;
const MAX_EVENTS_PER_STATEMENT = 500;
/** Under load, statements begin this far apart: what a statement costs by itself is what ten events cost. */
const APART_MS = 5;
/** Workers are woken this far apart: the more events share the transaction that stores them, the less each costs. */
const WAKES_APART_MS = 400;
const FIRST_WAKE_MS = 20;

/**
 * Events that come while others are being queued go into one statement together, and share its jobs; nobody waits for
 * anything else. A commit that wakes workers (NOTIFY) has all others of its kind wait behind it until the disk has it:
 * one by one, 200 events a second were queued on a disk that takes 5 ms.
 */
export function createEventIntake(queue: Pick<JobQueue, 'enqueueNow' | 'wake'>, db?: Db) {
  const waiting: Waiter[] = [];
  let running = 0;
  let beganAt = -Infinity;
  let next: NodeJS.Timeout | undefined;
  let waking: NodeJS.Timeout | undefined;
  let wokenAt = -Infinity;

  function run(): void {
    while (running < MAX_STATEMENTS && waiting.length > 0 && next === undefined) {
      const now = performance.now();
      if (now < beganAt + APART_MS) {
        next = setTimeout(
          () => {
            next = undefined;
            run();
          },
          beganAt + APART_MS - now,
        );
        return;
      }
      beganAt = now;
      running++;
      const batch = waiting.splice(0, MAX_EVENTS_PER_STATEMENT);
      // For several requests, not for the one that began it. Without a scope nothing of the process pays for one.
      const stored = currentScope() ? inScope({ operation: '/v1/events' }, () => store(batch)) : store(batch);
      void stored.finally(() => {
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
      await queue.enqueueNow(recordEvents, jobs, db);
      wakeSoon();
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

  function wakeSoon(): void {
    const wait = Math.max(FIRST_WAKE_MS, wokenAt + WAKES_APART_MS - performance.now());
    waking ??= setTimeout(() => {
      waking = undefined;
      wokenAt = performance.now();
      queue.wake(recordEvents);
    }, wait).unref();
  }

  return {
    /** Resolves when the event is stored in the queue. */
    add: (event: RecordEventPayload): Promise<void> =>
      new Promise((done, failed) => {
        waiting.push({ event: withCause(event), done, failed });
        run();
      }),
  };
}
