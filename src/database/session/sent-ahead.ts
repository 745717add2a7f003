import type pg from 'pg';

/**
 * A session that is told something first, which its first query does not wait for: both go out in one flight (the
 * pool's sessions pipeline). Whoever asks hears of a failure by that query, whose own result is thrown away then: it
 * came from a session that was not told. Given back after a failure, the session is closed.
 */
export function sendAhead(client: pg.PoolClient, text: string): pg.PoolClient {
  let failed = false;
  let ahead: Promise<unknown> | undefined = client.query(text);
  ahead.catch(() => {
    failed = true;
  });
  const query = async (...asked: [text: string, values?: unknown[]]): Promise<pg.QueryResult> => {
    if (ahead === undefined) return client.query(...asked);
    const both = Promise.all([ahead, client.query(...asked)]);
    ahead = undefined;
    return (await both)[1];
  };
  const release = (destroy?: Error | boolean): void => {
    const giveBack = (): void => {
      client.release(failed ? true : destroy);
    };
    // Nobody has heard yet how it went.
    if (ahead === undefined) giveBack();
    else ahead.then(giveBack, giveBack);
  };
  return Object.assign(Object.create(client) as pg.PoolClient, { query, release });
}
