import { sql } from '../../platform/database/sql.js';
import type { Db } from '../../platform/database/db.js';
import { explainUnreachable, SET_DIRECT_URL, type FoundDatabase } from '../../platform/database/open-database.js';
import { keepsSessions } from '../../platform/database/session/connect.js';
import { databaseOf } from '../../platform/database/session/driver.js';
import { ok, problem, warning, type Finding } from './finding.js';

const CHECK = 'pooler';
const MAX_STATEMENT_MS = 5_000;

/** The pooler between, if there is one, and the way past it. */
export async function checkPooler({ connection, direct }: FoundDatabase, directUrl?: string): Promise<Finding[]> {
  const session = await connection.pool.take();
  session.release();
  const { isPooled, keepsPlans } = session.client;
  if (directUrl === undefined) {
    if (!isPooled) return [];
    if (await keepsSessions(connection.pool)) return [ok(CHECK, 'one stands between, and keeps sessions')];
    return [problem(CHECK, 'DATABASE_URL leads to one that gives each transaction another session', SET_DIRECT_URL)];
  }
  try {
    const past = databaseOf(direct.pool, { withinMs: MAX_STATEMENT_MS });
    if ((await identityOf(past)) !== (await identityOf(connection.db)))
      return [
        problem(CHECK, 'DATABASE_DIRECT_URL leads to another database than DATABASE_URL', 'Correct one of them.'),
      ];
    if (!(await keepsSessions(direct.pool)))
      return [problem(CHECK, 'DATABASE_DIRECT_URL leads to a pooler, too', 'Name the server itself in it.')];
  } catch (error) {
    const { message } = explainUnreachable(error, directUrl);
    return [problem(CHECK, `DATABASE_DIRECT_URL: ${message}`, 'Correct it.')];
  }
  if (!isPooled) return [ok(CHECK, 'none between: DATABASE_DIRECT_URL is not needed')];
  if (keepsPlans)
    return [
      ok(CHECK, 'one stands between, and may give each transaction another session; it keeps prepared statements'),
    ];
  return [
    warning(
      CHECK,
      'the one between keeps no prepared statements: each search is planned anew, beside large projects in twice the time',
      'Set `max_prepared_statements = 200` (PgBouncer 1.21 or later).',
    ),
  ];
}

async function identityOf(db: Db): Promise<string | undefined> {
  const { rows } = await sql<{ one: string }>`
    select concat(oid, ' ', pg_postmaster_start_time()) as one from pg_database where datname = current_database()`.execute(
    db,
  );
  return rows[0]?.one;
}
