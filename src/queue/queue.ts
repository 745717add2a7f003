import {
  fromKysely,
  PgBoss,
  type ConstructorOptions,
  type JobInsert,
  type QueueOptions,
  type QueuePolicy,
} from 'pg-boss';
import type pg from 'pg';
import type { Connection } from '../database/session/connect.js';
import type { Db, Trx } from '../database/db.js';
import { refuseInsideTransaction } from '../database/session/inside-transaction.js';
import { SETTINGS } from '../database/open.js';
import { mayChangeQueue, shareQueue } from '../database/queries/access.js';
import { OperatorError } from '../errors.js';
import type { Logger } from '../logger.js';
import { Turns } from './turns.js';

/** Of pg-boss, which makes them itself. */
export const QUEUE_TABLES = ['pgboss.version', 'pgboss.queue', 'pgboss.job_common'] as const;

/** A kind of job: its queue in pg-boss, and the type of its payload. */
export interface JobKind<Payload extends object> {
  name: string;
  policy: QueuePolicy;
  options: QueueOptions & { notify?: boolean };
  /** Jobs of one key are the same work: under the policy `short`, one of them waits at most. */
  key?: (payload: Payload) => string;
  /**
   * Whose turn a job takes, and how many seconds of a worker of one's own it is worth (turns.ts). Else: first come,
   * first served.
   */
  turns?: { of: (payload: Payload) => string; seconds: number };
  /** Identifies the job, where a caller must be able to repeat itself without doubling. */
  id?: (payload: Payload) => string;
}

export interface JobQueue {
  /** The queue itself, for workers. */
  boss: PgBoss;
  /**
   * Queues jobs inside the caller's transaction: they exist if and only if it commits. `bulk` jobs let others go first.
   */
  enqueue<Payload extends object>(
    trx: Trx,
    kind: JobKind<Payload>,
    payloads: readonly Payload[],
    urgency?: 'bulk',
  ): Promise<void>;
  /** Queues jobs in a transaction of their own. */
  enqueueNow<Payload extends object>(kind: JobKind<Payload>, payloads: readonly Payload[]): Promise<void>;
  /** Takes back what waits under these keys. */
  withdraw<Payload extends object>(trx: Trx, kind: JobKind<Payload>, key: string): Promise<void>;
  /** Lets this process's workers of a queue look at once; call it after the commit. Others hear NOTIFY or poll. */
  wake(kind: { name: string }): void;
  /** Workers tell their id, so that wake finds them. */
  registerWorker(kind: { name: string }, workerId: string): void;
  stop(): Promise<void>;
}

export interface JobQueueOptions {
  connection: Connection;
  /** Where jobs are queued that are in no transaction of the caller's: requests wait for it. Default: `connection`. */
  prompt?: Db;
  /** Set for a server database in a process that works: pg-boss then listens on a connection of its own. */
  listenUrl: string | undefined;
  /** Whether this process works and supervises, or only queues. */
  works: boolean;
  kinds: readonly JobKind<never>[];
  logger: Logger;
}

/**
 * Starts pg-boss and makes the queues. On the embedded database pg-boss shares the program's own pool, so that the
 * guard against a second connection inside a transaction covers it too, and it polls: NOTIFY does not pass
 * pglite-socket. On a server, working processes get a listener, which pg-boss keeps alive by itself.
 */
export async function startJobQueue(options: JobQueueOptions): Promise<JobQueue> {
  const { connection, prompt = connection.db, listenUrl, works, kinds, logger } = options;
  // An api's role may queue, and nothing else (db/functions/share_queue.sql).
  const owns = await mayChangeQueue(connection.db);
  if (works && !owns) {
    throw new OperatorError(
      'This database role may queue jobs but not do them: start workers as the role that owns the schema, and this one with `--role api`.',
    );
  }
  const source: ConstructorOptions =
    listenUrl === undefined
      ? { db: { executeSql: (text, values) => connection.pool.query(text, values) } }
      : {
          connectionString: listenUrl,
          max: 4,
          useListenNotify: true,
          application_name: 'pathmend-jobs',
          // Its statements take milliseconds; one that the network swallowed would keep a worker from its next for
          // a quarter of an hour. Taken by pg, to which pg-boss hands all of this.
          ...{
            query_timeout: WITHIN_MS,
            keepAlive: true,
            keepAliveInitialDelayMillis: 10_000,
            onConnect: beginSession,
          },
        };
  const boss = new PgBoss({
    ...source,
    migrate: owns,
    supervise: works,
    schedule: works,
    // A worker that was killed is noticed within a heartbeat and one of these.
    monitorIntervalSeconds: 10,
    superviseIntervalSeconds: 10,
    // Finished jobs slow every fetch: they go within this and their queue's own time. It costs two statements, when
    // due.
    maintenanceIntervalSeconds: 60,
  });
  boss.on('error', (error: Error) => {
    logger.error('job queue failed', { error });
  });
  boss.on('warning', (warning: { message: string; data: object }) => {
    logger.warn('job queue warns', { warning: warning.message, ...warning.data });
  });
  await boss.start().catch((error: unknown) => {
    if (owns) throw error;
    throw new OperatorError('The job queue is not of this release: run `migrate` as the role that owns the schema.', {
      cause: error,
    });
  });
  for (const kind of kinds) await agree(boss, kind, owns);
  if (owns) await shareQueue(connection.db);

  const turns = new Turns();
  const workers = new Map<string, string[]>();
  return {
    boss,
    enqueue: async (trx, kind, payloads, urgency) => {
      const jobs = payloads.map((payload) => toInsert(kind, payload, turns, urgency));
      await boss.insert(kind.name, jobs, { db: fromKysely(trx) });
    },
    enqueueNow: async (kind, payloads) => {
      // Such a job would outlive the transaction's roll-back.
      refuseInsideTransaction();
      await boss.insert(
        kind.name,
        payloads.map((payload) => toInsert(kind, payload, turns)),
        { db: fromKysely(prompt) },
      );
    },
    withdraw: async (trx, kind, key) => {
      const db = fromKysely(trx);
      const waiting = await boss.findJobs(kind.name, { key, queued: true, db });
      if (waiting.length > 0)
        await boss.deleteJob(
          kind.name,
          waiting.map((job) => job.id),
          { db },
        );
    },
    wake: (kind) => {
      for (const id of workers.get(kind.name) ?? []) boss.notifyWorker(id);
    },
    registerWorker: (kind, workerId) => {
      workers.set(kind.name, [...(workers.get(kind.name) ?? []), workerId]);
    },
    stop: () => boss.stop({ graceful: true, close: true, timeout: 8_000 }),
  };
}

const WITHIN_MS = 30_000;

/** As the program's own sessions begin; the server ends what pg has given up. */
async function beginSession(client: pg.ClientBase): Promise<void> {
  for (const statement of [...SETTINGS, `set statement_timeout = ${WITHIN_MS + 1_000}`])
    await client.query(statement).catch(() => undefined);
}

function toInsert<Payload extends object>(
  kind: JobKind<Payload>,
  payload: Payload,
  turns: Turns,
  urgency?: 'bulk',
): JobInsert<Payload> {
  const job: JobInsert<Payload> = { data: payload };
  if (kind.key) job.singletonKey = kind.key(payload);
  if (kind.id) job.id = kind.id(payload);
  // A page that somebody just pushed must not wait for an import of a hundred thousand.
  if (kind.turns) job.priority = turns.next(`${kind.name} ${kind.turns.of(payload)}`, kind.turns.seconds, urgency);
  return job;
}

/** Makes a queue, or brings an existing one to this release's options. A policy cannot change: that is a fault. */
async function agree(boss: PgBoss, kind: JobKind<never>, owns: boolean): Promise<void> {
  const existing = await boss.getQueue(kind.name);
  if (!existing && !owns) {
    throw new OperatorError(`There is no queue ${kind.name}: run \`migrate\` as the role that owns the schema.`);
  } else if (!existing) {
    // Also looks the queue up once: pg-boss would otherwise do it on another connection inside a transaction.
    await boss.createQueue(kind.name, { policy: kind.policy, ...kind.options });
  } else if (existing.policy !== kind.policy) {
    throw new Error(`queue ${kind.name} has policy ${String(existing.policy)}, this release needs ${kind.policy}`);
  } else if (owns) {
    await boss.updateQueue(kind.name, kind.options);
  }
  await boss.insert(kind.name, []);
}
