import type { SessionClient } from './session-client.js';
import { setStatement, type ConnectionSettings } from './session-settings.js';

/** As long as the login may take. */
const MAX_MS = 10_000;

/**
 * Looks whether a new connection has a session of its own, and sets that. A pooler gives its clients made-up process
 * ids, since it may lend a session to several in turn. Such a session is left as it was found, and what the pooler can
 * do is looked up for transaction-session.ts.
 *
 * @param keepsSessions the pooler is known to give each of its clients a session (pooler.ts).
 */
export async function prepareConnection(
  client: SessionClient,
  settings: readonly ConnectionSettings[],
  keepsSessions: boolean,
): Promise<void> {
  // A pooler takes a login itself, and may then wait for a server that does not answer.
  const late = setTimeout(() => client.socket.destroy(new Error('timeout exceeded when trying to connect')), MAX_MS);
  try {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const { processID } = client as unknown as { processID: number | null };
    client.isPooled = rows[0]?.pid !== processID;
    if (client.isPooled && !keepsSessions) {
      client.ofTransactions = await acceptedIn(client, settings);
      client.keepsPlans = await keepsNames(client);
      return;
    }
  } finally {
    clearTimeout(late);
  }
  // Sent before the user's first query, which fails if the connection is broken. The server may refuse one.
  for (const one of settings) client.query(setStatement(one)).catch(() => undefined);
}

/** The settings that the server takes: inside a transaction, one that it refuses would end that. */
async function acceptedIn(client: SessionClient, settings: readonly ConnectionSettings[]): Promise<string[]> {
  const accepted: string[] = [];
  for (const one of settings.filter(({ ofConnection }) => ofConnection !== true)) {
    const statement = setStatement(one, 'local');
    await client.query(statement).then(
      () => accepted.push(statement),
      () => undefined,
    );
  }
  return accepted;
}

/**
 * Whether the pooler prepares a named statement again in whichever session meets it, as PgBouncer does from 1.21 on. It
 * then has names of its own, so that the server does not know ours.
 */
async function keepsNames(client: SessionClient): Promise<boolean> {
  const name = 'pathmend_probe';
  await client.query('begin');
  try {
    const text = 'select exists (select from pg_prepared_statements where name = $1) as here';
    const { rows } = await client.query<{ here: boolean }>({ name, text, values: [name] });
    if (rows[0]?.here !== true) return true;
    await client.query('deallocate pathmend_probe');
    return false;
  } finally {
    await client.query('rollback');
  }
}
