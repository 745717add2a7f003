import { Socket } from 'node:net';
import pg from 'pg';
import { CITUS_SETUP, SESSION_FACTS, type SessionFacts } from '../citus.js';
import { type SessionSettings, setStatement, type ConnectionSettings } from './session-settings.js';

/** A client of pg with its socket, so that it can be broken, and its session's settings, which outlast a checkout. */
export class SessionClient extends pg.Client {
  readonly socket: Socket;
  settings: SessionSettings = {};
  /** The time when the session's generic plans were last discarded, in monotonic ms; its clients share this. */
  plans = { from: 0 };
  /** Whether a pooler stands between: the session may soon be another client's ({@link prepareConnection}). */
  isPooled = false;
  /** Whether it has Citus: nodes get a transaction's settings only, and a statement's values determine its node. */
  isDistributed = false;
  /** Whether the pooler keeps the plans of prepared statements, whichever session they meet. */
  keepsPlans = false;
  /** Statements that each transaction through the pooler, or to Citus, begins with. */
  transactionSetup: readonly string[] = [];

  constructor(config?: pg.ClientConfig) {
    const socket = new Socket();
    // The pool makes the password not enumerable, so a spread leaves it out.
    super({ ...config, ...(config?.password && { password: config.password }), stream: () => socket });
    this.socket = socket;
  }
}

export type PooledClient = SessionClient & Pick<pg.PoolClient, 'release'>;

/** The max time of the first statement of a connection, which is as long as the login may take. */
const MAX_MS = 10_000;

/**
 * Finds out whether a new connection has its own session, and makes the settings of that session. A pooler gives its
 * clients made-up process ids, since it may give a session to several clients in turn. Such a session is left as it was
 * found, and the abilities of the pooler are recorded for session.ts.
 *
 * @param keepsSessions the pooler is known to give each of its clients a session (connect.ts).
 */
export async function prepareConnection(
  client: SessionClient,
  settings: readonly ConnectionSettings[],
  keepsSessions: boolean,
): Promise<void> {
  // A pooler takes a login itself, and may then wait for a server that does not answer.
  const late = setTimeout(() => client.socket.destroy(new Error('timeout exceeded when trying to connect')), MAX_MS);
  try {
    const { rows } = await client.query<SessionFacts>(SESSION_FACTS);
    const { processID } = client as unknown as { processID: number | null };
    client.isPooled = rows[0]?.pid !== processID;
    client.isDistributed = rows[0]?.citus ?? false;
    if (client.isPooled && !keepsSessions) {
      client.transactionSetup = [...(await acceptedIn(client, settings)), ...(client.isDistributed ? CITUS_SETUP : [])];
      client.keepsPlans = !client.isDistributed && (await keepsNames(client));
      return;
    }
  } finally {
    clearTimeout(late);
  }
  if (client.isDistributed) client.transactionSetup = CITUS_SETUP;
  // They are sent before the user's first query, which fails if the connection is broken. The server may refuse some.
  for (const setting of settings) client.query(setStatement(setting)).catch(() => undefined);
}

/** Returns the settings that the server accepts. They are tried here: a refused one would abort a transaction. */
async function acceptedIn(client: SessionClient, settings: readonly ConnectionSettings[]): Promise<string[]> {
  const accepted: string[] = [];
  for (const setting of settings.filter(({ isOfConnection }) => isOfConnection !== true)) {
    const statement = setStatement(setting, 'local');
    await client.query(statement).then(
      () => accepted.push(statement),
      () => undefined,
    );
  }
  return accepted;
}

/**
 * Whether the pooler prepares a named statement again in whichever session meets it, as PgBouncer does from 1.21 on.
 * Such a pooler has its own names for statements, so that the server does not know ours.
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
