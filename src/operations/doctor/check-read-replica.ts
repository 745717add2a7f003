import { sql } from '../../platform/database/sql.js';
import type { Db } from '../../platform/database/db.js';
import { explainUnreachable } from '../../platform/database/open-database.js';
import { readReplicaState, type ReplicaState } from '../store/measurements.js';
import { connect } from '../../platform/database/session/connect.js';
import { databaseOf } from '../../platform/database/session/driver.js';
import type { Config } from '../../platform/settings/config.js';
import type { Limits } from './check-work.js';
import { duration, graded, ok, problem, size, warning, type Finding } from './finding.js';

const CHECK = 'replica';
const MAX_STATEMENT_MS = 5_000;

/** The replica of DATABASE_READ_URL: whether searches can use it. Without it the primary answers them. */
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
    const state = await readReplicaState(
      databaseOf(replica.pool, { withinMs: MAX_STATEMENT_MS }),
      rows[0]?.lsn ?? '0/0',
    );
    return [judge(state, limits)];
  } catch (error) {
    const { message } = explainUnreachable(error, url);
    return [warning(CHECK, `The primary answers searches, too: ${message}`, 'Start it, or correct DATABASE_READ_URL.')];
  } finally {
    await replica.close();
  }
}

function judge({ in_recovery, paused, bytes, seconds }: ReplicaState, limits: Limits): Finding {
  if (!in_recovery)
    return problem(
      CHECK,
      'DATABASE_READ_URL leads to a server that follows nobody: it was promoted, or is another',
      'Name a replica of the server of DATABASE_URL, or leave it unset.',
    );
  // Without changes the last one grows old, and nothing is missing.
  const behind = `${size(bytes)} behind${bytes > 0 ? `, the last change of ${duration(seconds)} ago` : ''}`;
  const level = graded(bytes, limits.replicaBytes);
  if (paused) return problem(CHECK, `its replay is paused, ${behind}`, 'On it: `select pg_wal_replay_resume()`.');
  if (level === 'ok') return ok(CHECK, `it follows, ${behind}`);
  return { check: CHECK, level, message: `it is ${behind}`, action: 'Look at its disk and its network.' };
}
