/** The database did not do in time what was asked of it: it hangs, or the network swallows what it says. */
export class DatabaseSilent extends Error {
  /** As a socket says it; the HTTP layer knows it by that. */
  readonly code = 'ETIMEDOUT';

  constructor(message: string) {
    super(message);
    this.name = 'DatabaseSilent';
  }
}

/** The database answered others meanwhile: it has too much to do, or this was too much. */
export class DatabaseBusy extends Error {
  readonly code = 'ETIMEDOUT';

  constructor(message: string) {
    super(message);
    this.name = 'DatabaseBusy';
  }
}

/** For how long a session is wanted. */
export interface Patience {
  /** Counted from asking for a session to giving it back, a whole transaction at most; undefined: for ever. */
  withinMs?: number | undefined;
  /** Aborted when nobody waits for the result any more. */
  signal?: AbortSignal | undefined;
}

/**
 * For those who would rather hear after `withinMs` milliseconds that the database is silent than wait: a machine that
 * hangs, or a network that drops every packet, ends no connection, and TCP itself gives up what it sent only after a
 * quarter of an hour.
 *
 * @param heardAt when the database last answered anybody, in monotonic milliseconds.
 * @param end is called at most once: `late`, or `aborted` by the signal.
 * @returns what calls it off.
 */
export function watchDeadline(
  { withinMs, signal }: Patience,
  heardAt: () => number,
  end: (why: 'late' | 'aborted', reason: Error) => void,
): () => void {
  const callOff = (): void => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  };
  const abort = (): void => {
    callOff();
    end('aborted', signal?.reason as Error);
  };
  const late = (ms: number): void => {
    callOff();
    // What was heard just before a database fell silent says nothing.
    const isSilent = performance.now() - heardAt() > ms / 2;
    end(
      'late',
      isSilent
        ? new DatabaseSilent(`the database did not answer within ${ms} ms`)
        : new DatabaseBusy(`the database did not do within ${ms} ms what was asked of it`),
    );
  };
  const timer = withinMs === undefined ? undefined : setTimeout(late, withinMs, withinMs);
  signal?.addEventListener('abort', abort, { once: true });
  return callOff;
}
