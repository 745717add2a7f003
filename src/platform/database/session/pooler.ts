import { once } from 'node:events';
import type { SessionPool } from './pool.js';

/** A notification takes milliseconds, unless the server is very busy. */
const MAX_NOTIFICATION_MS = 3_000;

/** Whether a pooler stands between this process and the server. */
export async function isPooled(pool: SessionPool): Promise<boolean> {
  const session = await pool.take();
  session.release();
  return session.client.isPooled;
}

/**
 * Whether a connection keeps its session, as it does without a pooler, and with PgBouncer under `pool_mode = session`.
 * Asked of what such a session is for: whether it hears what another one notifies.
 */
export async function keepsSessions(pool: SessionPool): Promise<boolean> {
  if (!(await isPooled(pool))) return true;
  const [one, other] = await Promise.all([pool.take(), pool.take()]);
  const signal = AbortSignal.timeout(MAX_NOTIFICATION_MS);
  try {
    const heard = once(one.client, 'notification', { signal }).then(
      () => true,
      () => false,
    );
    await one.query('listen pathmend_session');
    await other.query('notify pathmend_session');
    return await heard;
  } finally {
    await one.query('unlisten pathmend_session').catch(() => undefined);
    // What follows on them depends on the answer.
    one.release(true);
    other.release(true);
  }
}
