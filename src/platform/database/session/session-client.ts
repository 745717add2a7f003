import { Socket } from 'node:net';
import pg from 'pg';
import { OF_CITUS, SESSION_FACTS, type SessionFacts } from '../citus.js';
import { type SessionSettings, setStatement, type ConnectionSettings } from './session-settings.js';

/** A client of pg with its socket, so that it can be broken, and its session's settings, which outlast a checkout. */
export class SessionClient extends pg.Client {
  readonly socket: Socket;
  settings: SessionSettings = {};
  /** When its session's generic plans were last discarded, in monotonic ms. Clients of one session share this. */
  plans = { from: 0 };
  /** A pooler stands between: the session may be another's in a moment ({@link prepareConnection}). */
  isPooled = false;
  /**
   * It leads to a coordinator of Citus. Other nodes hear of settings of a transaction only, and a statement is planned
   * with its values, which say where it goes.
   */
  isDistributed = false;
  /** The pooler keeps the plans of prepared statements, whichever session they meet. */
  keepsPlans = false;
  /** Statements that each transaction through the pooler, or to Citus, begins with. */
  ofTransactions: readonly string[] = [];

  constructor(config?: pg.ClientConfig) {
    const socket = new Socket();
    // The pool hides the password from spreading.
    super({ ...config, ...(config?.password && { password: config.password }), stream: () => socket });
    this.socket = socket;
  }
}

export type PooledClient = SessionClient & Pick<pg.PoolClient, 'release'>;

/** As long as the login may take. */
const MAX_MS = 10_000;

/**
 * Looks whether a new connection has a session of its own, and sets that. A pooler gives its clients made-up process
 * ids, since it may lend a session to several in turn. Such a session is left as it was found, and what the pooler can
 * do is looked up for session.ts.
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
      client.ofTransactions = [...(await acceptedIn(client, settings)), ...(client.isDistributed ? OF_CITUS : [])];
      client.keepsPlans = !client.isDistributed && (await keepsNames(client));
      return;
    }
  } finally {
    clearTimeout(late);
  }
  if (client.isDistributed) client.ofTransactions = OF_CITUS;
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
