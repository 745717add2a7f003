import type pg from 'pg';

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

/** For how long a connection is wanted. */
export interface Patience {
  /** See {@link takeWithin}; undefined: for ever. */
  withinMs?: number | undefined;
  /** Aborted when nobody waits for the result any more. */
  signal?: AbortSignal | undefined;
}

/** What the pool knows, and does, about the sessions of its database. */
export interface Sessions {
  /** When any session last had an answer, in monotonic milliseconds. */
  heardAt(): number;
  /** Breaks a connection, and stops what the server does for it where that is possible. */
  end(client: pg.PoolClient, reason: Error): void;
  /**
   * Whether what a session does can be stopped: the embedded database goes on, and nothing is gained by a broken
   * connection.
   */
  canStop: boolean;
}

/**
 * For those who would rather hear after `withinMs` milliseconds that the database is silent than wait: a machine that
 * hangs, or a network that drops every packet, ends no connection, and TCP itself gives up what it sent only after a
 * quarter of an hour. Counted from asking for a connection to giving it back, a whole transaction at most; a connection
 * that is late is broken, because nobody knows what it will still say. So is one that nobody waits for any more.
 */
export function takeWithin(
  { withinMs, signal }: Patience,
  connecting: Promise<pg.PoolClient>,
  sessions: Sessions,
): Promise<pg.PoolClient> {
  return new Promise((done, failed) => {
    let client: pg.PoolClient | undefined;
    let over = false;
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    };
    const end = (reason: Error): void => {
      over = true;
      settle();
      if (client) sessions.end(client, reason);
      else failed(reason);
    };
    const late = (ms: number): void => {
      // What was heard just before a database fell silent says nothing.
      const silent = performance.now() - sessions.heardAt() > ms / 2;
      end(
        silent
          ? new DatabaseSilent(`the database did not answer within ${ms} ms`)
          : new DatabaseBusy(`the database did not do within ${ms} ms what was asked of it`),
      );
    };
    const abort = (): void => {
      if (!client || sessions.canStop) end(signal?.reason as Error);
    };
    const timer = withinMs === undefined ? undefined : setTimeout(late, withinMs, withinMs);
    signal?.addEventListener('abort', abort, { once: true });
    connecting.then(
      (got) => {
        if (over) {
          got.release();
          return;
        }
        client = got;
        const release = got.release.bind(got);
        got.release = (destroy) => {
          settle();
          release(destroy);
        };
        done(got);
      },
      (error: unknown) => {
        settle();
        failed(error instanceof Error ? error : new Error(String(error)));
      },
    );
  });
}
