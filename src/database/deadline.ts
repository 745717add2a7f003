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

/**
 * For those who would rather hear after `ms` milliseconds that the database is silent than wait: a machine that hangs, or
 * a network that drops every packet, ends no connection, and TCP itself gives up what it sent only after a quarter of an
 * hour. Counted from asking for a connection to giving it back, a whole transaction at most; a connection that is late is
 * broken, because nobody knows what it will still say.
 */
export function takeWithin(ms: number, connecting: Promise<pg.PoolClient>): Promise<pg.PoolClient> {
  return new Promise((done, failed) => {
    let client: pg.PoolClient | undefined;
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      const silent = new DatabaseSilent(`the database did not answer within ${ms} ms`);
      if (client) client.connection.stream.destroy(silent);
      else failed(silent);
    }, ms);
    connecting.then(
      (got) => {
        if (late) {
          got.release();
          return;
        }
        client = got;
        const release = got.release.bind(got);
        got.release = (destroy) => {
          clearTimeout(timer);
          release(destroy);
        };
        done(got);
      },
      (error: unknown) => {
        clearTimeout(timer);
        failed(error instanceof Error ? error : new Error(String(error)));
      },
    );
  });
}
