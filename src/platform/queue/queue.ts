import { fromKysely, type JobInsert, type PgBoss } from 'pg-boss';
import { RunningJobs, observeHandler } from './running-jobs.js';
import type { Db, Trx } from '../database/db.js';
import { query, sql } from '../database/sql.js';
import { afterCommit } from '../database/session/connect.js';
import { refuseInsideTransaction } from '../database/session/inside-transaction.js';
import { mayChangeQueue, shareQueue, createBoss, type JobQueueOptions } from './create-boss.js';
import { OperatorError } from '../../base/errors.js';
import { runPrepared } from '../database/session/driver.js';
import { withCause, type Job } from './job.js';
import { FairPriorities, type Urgency } from './fair-priorities.js';
import { followClock } from './follow-clock.js';

/** Tables that pg-boss creates. */
export const QUEUE_TABLES = ['pgboss.version', 'pgboss.queue', 'pgboss.job_common'] as const;

export interface JobQueue {
  /** Queues jobs inside the caller's transaction: they exist only if it commits. */
  enqueue<Payload extends object>(
    trx: Trx,
    job: Job<Payload>,
    payloads: readonly Payload[],
    urgency?: Urgency,
  ): Promise<void>;
  /** Queues jobs in a transaction of their own. `db` is used in place of `dbWithDeadline`. */
  enqueueNow<Payload extends object>(job: Job<Payload>, payloads: readonly Payload[], db?: Db): Promise<void>;
  /** Deletes the waiting jobs with these keys. */
  withdraw<Payload extends object>(trx: Trx, job: Job<Payload>, keys: readonly string[]): Promise<void>;
  /** Makes this process's worker fetch jobs at once; call it after the commit. Other processes get NOTIFY, or poll. */
  wake(job: { name: string }): void;
  work<Payload extends object, Deps>(job: Job<Payload, Deps>, deps: Deps): Promise<void>;
  /** Stops fetching jobs of a queue, and does not wait for those in flight. */
  stopWorking(job: { name: string }): Promise<void>;
  schedule(job: { name: string }, cron: string): Promise<void>;
  /** Interrupts jobs that heed their signal, and waits some seconds for the others. */
  stop(): Promise<void>;
  /** The instance of pg-boss, for tests. */
  boss: PgBoss;
}

/**
 * Starts pg-boss and creates the queues. On the embedded database pg-boss shares the program's pool, whose guard
 * against a second connection inside a transaction then covers it, and polls: NOTIFY does not pass pglite-socket. On a
 * server, a process with workers has a listener, which pg-boss keeps alive.
 */
export async function startJobQueue(options: JobQueueOptions): Promise<JobQueue> {
  const { connection, dbWithDeadline = connection.db, works, jobs, logger } = options;
  const observer = { ...options.observer, logger };
  // The database role of an `api` process may only queue jobs (db/functions/share_queue.sql).
  const ownsSchema = await mayChangeQueue(connection.db);
  if (works && !ownsSchema)
    throw new OperatorError(
      'This database role may queue jobs but not do them: start workers as the role that owns the schema, and this one with `--role api`.',
    );
  const boss = createBoss(options, ownsSchema);
  await boss.start().catch((error: unknown) => {
    if (ownsSchema) throw error;
    throw new OperatorError('The job queue is not of this release: run `migrate` as the role that owns the schema.', {
      cause: error,
    });
  });
  for (const job of jobs) await ensureQueue(boss, job, ownsSchema);
  if (ownsSchema) await shareQueue(connection.db);
  const leaveClock = works ? await followClock(connection.db, logger) : undefined;

  const priorities = new FairPriorities();
  const workers = new Map<string, string>();
  const inHand = new RunningJobs();
  async function insertNow(job: { name: string }, inserts: readonly JobInsert[], db: Db): Promise<void> {
    const executeSql = async (text: string, values?: unknown[]): Promise<{ rows: unknown[] }> => ({
      rows: await runPrepared(db, text, values),
    });
    for (let at = 0; at < inserts.length; at += MAX_INSERTED)
      await boss.insert(job.name, inserts.slice(at, at + MAX_INSERTED), { db: { executeSql } });
  }

  return {
    boss,
    enqueue: async (trx, job, payloads, urgency) => {
      if (payloads.length === 0) return;
      const inserts = payloads.map((payload) => toInsert(job, payload, priorities, urgency));
      const inserted = await boss.insert(job.name, inserts, { db: fromKysely(trx), returnId: true });
      if (job.key === undefined || inserted?.length === inserts.length) return;
      // A waiting job stands for the same work. It may begin before this transaction is committed, and not see what was
      // written here. Then another is queued; while it still waits, nothing is.
      afterCommit(trx, () =>
        insertNow(job, inserts, dbWithDeadline).catch((error: unknown) => {
          logger.error('work may wait until it is asked for again', { job: job.name, error });
        }),
      );
    },
    enqueueNow: async (job, payloads, db = dbWithDeadline) => {
      // The job would survive a rollback of the transaction.
      refuseInsideTransaction();
      const inserts = payloads.map((payload) => toInsert(job, payload, priorities));
      await insertNow(job, inserts, db);
    },
    withdraw: async (trx, job, keys) => {
      const ids = await findWaitingJobs(trx, job.name, keys);
      if (ids.length > 0) await boss.deleteJob(job.name, ids, { db: fromKysely(trx) });
    },
    wake: (job) => {
      const worker = workers.get(job.name);
      if (worker !== undefined) boss.notifyWorker(worker);
    },
    work: async (job, deps) => {
      const { handle, pollingSeconds, ...more } = job.work(deps);
      const options = {
        ...more,
        includeMetadata: true as const,
        pollingIntervalSeconds: pollingSeconds ?? POLLING_SECONDS,
        notifyPollingIntervalSeconds: pollingSeconds ?? RETRY_POLLING_SECONDS,
      };
      workers.set(job.name, await boss.work(job.name, options, inHand.of(observeHandler(job, handle, observer))));
    },
    stopWorking: (job) => boss.offWork(job.name, { wait: false }),
    schedule: (job, cron) => boss.schedule(job.name, cron),
    stop: () => {
      leaveClock?.();
      inHand.stop();
      return boss.stop({ graceful: true, close: true, timeout: 8_000 });
    },
  };
}

/**
 * Finds the ids of waiting jobs by their keys. One statement for all keys: pg-boss has no index on them, and its own
 * findJobs reads the whole queue for each. None of our jobs is ever `blocked`; this condition lets PostgreSQL use the
 * index of waiting jobs. Without it each call read the last minutes' finished jobs, too: 73 ms with 24,000.
 */
function findWaitingJobs(trx: Trx, name: string, keys: readonly string[]): Promise<string[]> {
  return query(sql<{ id: string }>`
    select id from pgboss.job_common
     where name = ${name} and state < 'active' and not blocked and singleton_key = any (${keys}::text[])
  `).column(trx, 'id');
}

/** The max jobs in one statement: a deadline must not depend on the number of projects. */
const MAX_INSERTED = 5_000;

/** The seconds between two polls without notifications (embedded database): pg-boss's minimum. */
const POLLING_SECONDS = 0.5;
/** The seconds between two polls on a server (pg-boss: 30): it notifies of new jobs, but not of due retries. */
const RETRY_POLLING_SECONDS = 1;

function toInsert<Payload extends object>(
  job: Job<Payload>,
  payload: Payload,
  priorities: FairPriorities,
  urgency?: Urgency,
): JobInsert<Payload> {
  const insert: JobInsert<Payload> = { data: withCause(payload) };
  if (job.key) insert.singletonKey = job.key(payload);
  if (job.id) insert.id = job.id(payload);
  if (job.group) insert.group = { id: job.group(payload) };
  const delay = job.delaySeconds?.(payload) ?? 0;
  if (delay > 0) insert.startAfter = delay;
  if (job.fairShare) {
    const { by, seconds, urgency: usual } = job.fairShare;
    insert.priority = priorities.next(`${job.name} ${by(payload)}`, seconds, urgency ?? usual);
  }
  return insert;
}

/** Creates a queue, or updates its options to this release's. A queue's policy cannot be changed. */
async function ensureQueue(boss: PgBoss, job: Job<never>, ownsSchema: boolean): Promise<void> {
  const existing = await boss.getQueue(job.name);
  if (!existing && !ownsSchema) {
    throw new OperatorError(`There is no queue ${job.name}: run \`migrate\` as the role that owns the schema.`);
  } else if (!existing) {
    await boss.createQueue(job.name, { policy: job.policy, ...job.options });
  } else if (existing.policy !== job.policy) {
    throw new Error(`queue ${job.name} has policy ${String(existing.policy)}, this release needs ${job.policy}`);
  } else if (ownsSchema) {
    await boss.updateQueue(job.name, job.options);
  }
  // Makes pg-boss look the queue up now: later it would do so on another connection, inside a transaction.
  await boss.insert(job.name, []);
}
