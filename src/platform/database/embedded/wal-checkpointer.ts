import type { SessionPool } from '../session/pool.js';

const CHECK_INTERVAL_MS = 5_000;
/** A checkpoint is due after so many bytes of write-ahead log; `max_wal_size` of the thread is about twice that. */
const MAX_WAL_BYTES = 64 * 1024 * 1024;

/** With these settings, PostgreSQL removes old log files after a checkpoint instead of keeping them for reuse. */
export const WAL_SIZE_PARAMETERS = ['-c', 'max_wal_size=128MB', '-c', 'min_wal_size=32MB'];

/**
 * Runs a checkpoint when enough was written. A server has a process for that; PGlite runs none before it is stopped:
 * after 1.1 GB of writes its log had grown by as much. Such a log fills the disk, and is replayed whole after a kill.
 * @returns a function that stops these checkpoints.
 */
export function startWalCheckpointer(pool: SessionPool): () => void {
  let busy = false;
  async function checkpointIfDue(): Promise<void> {
    const { rows } = await pool.query<{ due: boolean }>(
      'select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn) > $1 as due from pg_control_checkpoint()',
      [MAX_WAL_BYTES],
    );
    if (rows[0]?.due) await pool.query('checkpoint');
  }
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    // A failure (the database is away, its disk is full) is reported by the next request that needs the database.
    void checkpointIfDue()
      .catch(() => undefined)
      .finally(() => (busy = false));
  }, CHECK_INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}
