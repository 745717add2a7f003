import type { SessionPool } from '../session/pool.js';

const CHECK_INTERVAL_MS = 5_000;
/** Bytes of write-ahead log since the last checkpoint; `max_wal_size` of the thread is about twice that. */
const MAX_WAL_BYTES = 64 * 1024 * 1024;

/** With these, what a checkpoint has made needless is removed and not kept for later use. */
export const WAL_SIZE_PARAMETERS = ['-c', 'max_wal_size=128MB', '-c', 'min_wal_size=32MB'];

/**
 * Asks for a checkpoint when enough was written since the last. A server has a process for that; PGlite's PostgreSQL
 * runs alone and makes none before it is stopped: its log grew by 1.1 GB with as much written, and would have until the
 * disk was full, and after a kill all of it would have been read again.
 * @returns what ends it.
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
    // What keeps it from a checkpoint (the database is away, its disk full) is told by whoever needs the database.
    void checkpointIfDue()
      .catch(() => undefined)
      .finally(() => {
        busy = false;
      });
  }, CHECK_INTERVAL_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
  };
}
