import { sql } from '#kysely';
import type { Db } from '../db.js';

/** Whether row level security can restrict sessions to one project; see src/database/session/tenants.ts. */
export async function mayBecomeTenant(db: Db): Promise<boolean> {
  const { rows } = await sql<{ may: boolean }>`select pathmend.may_become_tenant() as may`.execute(db);
  return rows[0]?.may ?? false;
}

/** Lets tenants queue jobs; see db/functions/share_queue.sql. Call it after pg-boss has created its tables. */
export async function shareQueue(db: Db): Promise<void> {
  await sql`select pathmend.share_queue()`.execute(db);
}

/** Whether this role may create pg-boss's tables. */
export async function mayChangeQueue(db: Db): Promise<boolean> {
  const { rows } = await sql<{ may: boolean }>`select has_schema_privilege('pgboss', 'create') as may`.execute(db);
  return rows[0]?.may ?? false;
}
