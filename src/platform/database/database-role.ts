import { setTimeout as pause } from 'node:timers/promises';
import { sql } from './sql.js';
import type { Db } from './db.js';
import { isLockTimeout, withLockTimeout } from './session/connect.js';

/** Whether row level security can restrict sessions to one project; see src/platform/database/session/tenants.ts. */
export async function mayBecomeTenant(db: Db): Promise<boolean> {
  const { rows } = await sql<{ may: boolean }>`select pathmend.may_become_tenant() as may`.execute(db);
  return rows[0]?.may ?? false;
}

/** Shorter than PostgreSQL's deadlock_timeout of a second, so that this is never what others deadlock with. */
const LOCK_TIMEOUT_MS = 200;
const MAX_TRIES = 100;

/**
 * Lets tenants queue jobs; see db/functions/share_queue.sql. Call it after pg-boss has created its tables.
 *
 * Policies need their tables alone, while pg-boss already watches its queues in this process and in others: a start
 * once failed with "deadlock detected". So this waits for a moment only, lets go of everything, and tries again.
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
  const { rows } = await sql<{ may: boolean }>`select has_schema_privilege('pgboss', 'create') as may`.execute(db);
  return rows[0]?.may ?? false;
}
