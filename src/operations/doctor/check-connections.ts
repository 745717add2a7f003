import { query, sql } from '../../platform/database/sql.js';
import type { Db } from '../../platform/database/db.js';
import { explainUnreachable, SET_DIRECT_URL, type FoundDatabase } from '../../platform/database/open-database.js';
import { databaseOf } from '../../platform/database/session/driver.js';
import { connect, keepsSessions } from '../../platform/database/session/connect.js';
import { adviseOn, duration, type Finding, graded, ok, problem, size, warning } from './finding.js';
import { readReplicaState, type ReplicaState } from '../store/measurements.js';
import type { Config } from '../../platform/settings/config.js';
import type { Limits } from './check-work.js';

const POOLER = 'pooler';
const REPLICA = 'replica';
const MAX_STATEMENT_MS = 5_000;

/** Checks the pooler in front of the database, if there is one, and the url that leads past it. */
export async function checkPooler({ connection, direct }: FoundDatabase, directUrl?: string): Promise<Finding[]> {
  const session = await connection.pool.take();
  session.release();
  const { isPooled, keepsPlans } = session.client;
  if (directUrl === undefined) {
    if (!isPooled) return [];
    if (await keepsSessions(connection.pool)) return [ok(POOLER, 'a pooler in session mode')];
    return [problem(POOLER, 'DATABASE_URL leads to a pooler in transaction mode', SET_DIRECT_URL)];
  }
  try {
    const past = databaseOf(direct.pool, { withinMs: MAX_STATEMENT_MS });
    if ((await identityOf(past)) !== (await identityOf(connection.db)))
      return [
        problem(POOLER, 'DATABASE_DIRECT_URL leads to another database than DATABASE_URL', 'Correct one of them.'),
      ];
    if (!(await keepsSessions(direct.pool)))
      return [problem(POOLER, 'DATABASE_DIRECT_URL leads to a pooler, too', 'Name the server itself in it.')];
  } catch (error) {
    const { message } = explainUnreachable(error, directUrl);
    return [problem(POOLER, `DATABASE_DIRECT_URL: ${message}`, adviseOn(error, 'DATABASE_DIRECT_URL'))];
  }
  if (!isPooled) return [ok(POOLER, 'none between: DATABASE_DIRECT_URL is not needed')];
  if (keepsPlans) return [ok(POOLER, 'a pooler in transaction mode, which keeps prepared statements')];
  return [
    warning(
      POOLER,
      'the one between keeps no prepared statements: each search is planned anew, beside large projects in twice the time',
      'Set `max_prepared_statements = 200` (PgBouncer 1.21 or later).',
    ),
  ];
}

async function identityOf(db: Db): Promise<string | undefined> {
  return query(sql<{ identity: string }>`
    select concat(oid, ' ', pg_postmaster_start_time()) as identity from pg_database where datname = current_database()
  `).value(db, 'identity', undefined);
}

/** Checks whether searches can use the replica of DATABASE_READ_URL. Without it the primary answers them. */
export async function checkReadReplica(primary: Db, config: Config, limits: Limits): Promise<Finding[]> {
  const url = config.databaseReadUrl;
  if (url === undefined) return [];
  const { rows } = await sql<{ lsn: string }>`select pg_current_wal_lsn()::text as lsn`.execute(primary);
  const replica = connect({
    url,
    max: 1,
    applicationName: 'pathmend-doctor',
    onIdleError: () => undefined,
    ownSessions: true,
  });
  try {
    const db = databaseOf(replica.pool, { withinMs: MAX_STATEMENT_MS });
    return [judge(await readReplicaState(db, rows[0]?.lsn ?? '0/0'), limits)];
  } catch (error) {
    const { message } = explainUnreachable(error, url);
    return [warning(REPLICA, `The primary answers searches, too: ${message}`, adviseOn(error, 'DATABASE_READ_URL'))];
  } finally {
    await replica.close();
  }
}

function judge({ in_recovery, paused, bytes, seconds }: ReplicaState, limits: Limits): Finding {
  if (!in_recovery)
    return problem(
      REPLICA,
      'DATABASE_READ_URL leads to a server that follows nobody: it was promoted, or is another',
      'Name a replica of the server of DATABASE_URL, or leave it unset.',
    );
  // While nothing changes, the last change grows old, and the replica lacks nothing.
  const behind = `${size(bytes)} behind${bytes > 0 ? `, the last change of ${duration(seconds)} ago` : ''}`;
  const level = graded(bytes, limits.replicaBytes);
  if (paused) return problem(REPLICA, `its replay is paused, ${behind}`, 'On it: `select pg_wal_replay_resume()`.');
  if (level === 'ok') return ok(REPLICA, `it follows, ${behind}`);
  return { check: REPLICA, level, message: `it is ${behind}`, action: 'Look at its disk and its network.' };
}
