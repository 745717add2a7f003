import { PgBoss, type ConstructorOptions } from 'pg-boss';
import type pg from 'pg';
import { loginOf, type DatabaseUrl } from '../database/session/login.js';
import { CONNECTION_SETTINGS } from '../database/open-database.js';
import { setStatement } from '../database/session/session-settings.js';
import type { Logger } from '../../base/logger.js';
import type { Db } from '../database/db.js';
import { type Connection, isLockTimeout, withLockTimeout } from '../database/session/connect.js';
import type { Job } from './job.js';
import type { JobObserver } from './running-jobs.js';
import { setTimeout as pause } from 'node:timers/promises';
import { query, sql } from '../database/sql.js';

export interface JobQueueOptions {
  connection: Connection;
  /** The database for `enqueueNow`, which requests wait for. Default: `connection`. */
  dbWithDeadline?: Db;
  /** The url of the connection on which pg-boss listens; set on a server database in a process with workers. */
  listenUrl: DatabaseUrl | undefined;
  /** Whether this process runs workers, or only queues jobs. */
  works: boolean;
  jobs: readonly Job<never>[];
  logger: Logger;
  /** Receives the logs and measurements of the jobs that run in this process. */
  observer?: Omit<JobObserver, 'logger'>;
}

/** Makes pg-boss, without starting it. */
export function createBoss({ connection, listenUrl, works, logger }: JobQueueOptions, ownsSchema: boolean): PgBoss {
  const source: ConstructorOptions =
    listenUrl === undefined
      ? { db: { executeSql: (text, values) => connection.pool.query(text, values) } }
      : {
          max: 4,
          useListenNotify: true,
          application_name: 'pathmend-jobs',
          // pg-boss hands these options to pg. Without a timeout, a statement that the network lost blocks a worker for
          // a quarter of an hour.
          ...{
            ...loginOf(listenUrl),
            query_timeout: STATEMENT_TIMEOUT_MS,
            keepAlive: true,
            keepAliveInitialDelayMillis: 10_000,
            onConnect: beginSession,
          },
        };
  const boss = new PgBoss({
    ...source,
    migrate: ownsSchema,
    supervise: works,
    schedule: works,
    // A killed worker is noticed after its heartbeat and one such interval.
    monitorIntervalSeconds: 10,
    superviseIntervalSeconds: 10,
    // Finished jobs slow every fetch. They are deleted after their queue's own time and this, in two statements.
    maintenanceIntervalSeconds: 60,
  });
  boss.on('error', (error: Error) => logger.error('job queue failed', { error }));
  boss.on('warning', (warning: { message: string; data: object }) => {
    logger.warn('job queue warns', { warning: warning.message, ...warning.data });
  });
  return boss;
}

/** The max time of a statement of pg-boss. Its statements take milliseconds. */
const STATEMENT_TIMEOUT_MS = 30_000;

/** Makes our settings in a session of pg-boss. The server's timeout ends a statement that pg has given up. */
async function beginSession(client: pg.ClientBase): Promise<void> {
  const ofQueue = { values: { statement_timeout: String(STATEMENT_TIMEOUT_MS + 1_000) } };
  for (const settings of [...CONNECTION_SETTINGS, ofQueue])
    await client.query(setStatement(settings)).catch(() => undefined);
}

/** This is shorter than PostgreSQL's deadlock_timeout of a second: other transactions never deadlock with it. */
const LOCK_TIMEOUT_MS = 200;
const MAX_TRIES = 100;

/**
 * Lets tenants queue jobs; see db/functions/share_queue.sql. Call it after pg-boss has created its tables.
 *
 * A change of policies locks its tables against all others, while pg-boss watches its queues in all processes: a start
 * once failed with "deadlock detected". So this waits only a moment, releases its locks and tries again.
 */
export async function shareQueue(db: Db): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await withLockTimeout(db, LOCK_TIMEOUT_MS, (trx) => sql`select pathmend.share_queue()`.execute(trx));
      return;
    } catch (error) {
      if (attempt >= MAX_TRIES || !isLockTimeout(error)) throw error;
      await pause(LOCK_TIMEOUT_MS);
    }
  }
}

/** Whether this role may create pg-boss's tables. */
export async function mayChangeQueue(db: Db): Promise<boolean> {
  return query(sql<{ may: boolean }>`select has_schema_privilege('pgboss', 'create') as may`).value(db, 'may', false);
}
