/** The database answered no statement within the deadline: it hangs, or the network drops its packets. */
export class DatabaseUnresponsive extends Error {
  override readonly name = 'DatabaseUnresponsive';
  /** The code of a socket's timeout, so that it counts as unavailable (database-errors.ts). */
  readonly code = 'ETIMEDOUT';
}

/** The database answered other statements, but not this one within the deadline. */
export class DatabaseBusy extends Error {
  override readonly name = 'DatabaseBusy';
  readonly code = 'ETIMEDOUT';
}

/** The limits of the wait for a session and its statements. */
export interface WaitLimit {
  /** The max time from asking for a session to giving it back, also for a whole transaction; undefined: no limit. */
  withinMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Ends a wait after `withinMs`, or when the signal is aborted. A machine that hangs, or a network that drops every
 * packet, ends no connection, and TCP gives up only after a quarter of an hour.
 *
 * @param isSilent whether the database seems to answer nobody, after a wait of this many milliseconds.
 * @param end is called at most once.
 * @returns a function that stops watching.
 */
export function watchDeadline(
  { withinMs, signal }: WaitLimit,
  isSilent: (ms: number) => boolean,
  end: (why: 'late' | 'aborted', reason: Error) => void,
): () => void {
  const stopWatching = (): void => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  };
  const abort = (): void => {
    stopWatching();
    end('aborted', signal?.reason as Error);
  };
  const late = (ms: number): void => {
    stopWatching();
    const silent = `the database did not answer within ${ms} ms`;
    const busy = `the database is busy: it took no connection, or the statement did not end, within ${ms} ms`;
    end('late', isSilent(ms) ? new DatabaseUnresponsive(silent) : new DatabaseBusy(busy));
  };
  const timer = withinMs === undefined ? undefined : setTimeout(late, withinMs, withinMs);
  signal?.addEventListener('abort', abort, { once: true });
  return stopWatching;
}
