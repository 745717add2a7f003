import type { Config } from '../settings/config.js';
import { OperatorError } from '../errors.js';
import { packageRoot } from '../package-root.js';
import { connect, sqlState, type Connection } from './session/connect.js';
import type { EmbeddedWatch } from './embedded/supervise-database.js';
import { startWalCheckpointer } from './embedded/wal-checkpointer.js';
import { runningEmbedded, startEmbedded, type EmbeddedDatabase } from './embedded/start-embedded.js';
import { migrate, type MigrationReport } from './schema/migrate.js';
import { mayBecomeTenant } from './queries/database-role.js';
import { explainRefusal } from './explain-refusal.js';
import { createTenants, type Tenants } from './session/tenants.js';

export interface OpenDatabase {
  connection: Connection;
  url: string;
  /** Set when this process runs the embedded database, not when it uses that of a running server. */
  embedded: EmbeddedDatabase | undefined;
  /** Whether the database is the embedded one, in this process or another. */
  isEmbedded: boolean;
  migration: MigrationReport;
  /** Sessions for one project each; `withinMs` as in {@link createTenants}. */
  tenants(withinMs?: number): Tenants;
  close(): Promise<void>;
}

export interface OpenOptions {
  /** Use a running server's embedded database instead of refusing: for commands. */
  besideServer: boolean;
  applicationName: string;
  onIdleError: (error: Error) => void;
  /** Receives the deaths and restarts of the embedded database. */
  embeddedWatch?: EmbeddedWatch;
}

const ROW_SECURITY_OFF =
  'Row level security is off: this database role may not become pathmend_tenant. Statements keep projects rowSecurity alone. ' +
  'Ask an administrator for the roles in docs/operations.md, then run `migrate`.';
const NOT_A_URL =
  'DATABASE_URL is not a valid url: see its host and port, and write special characters of the password as %40 and the like.';
/**
 * Settings of a server for each connection. When the network drops us in silence, the defaults keep the connection for
 * two hours, and with it the locks of its open transaction. Our transactions are never idle for 20 s. JIT is off: for
 * expensive statements it takes longer than the statement itself. Set by a statement, since poolers refuse such
 * settings in the start-up packet.
 */
export const CONNECTION_SETTINGS: readonly string[] = [
  `select set_config('idle_in_transaction_session_timeout', '20s', false),
  set_config('tcp_keepalives_idle', '30', false), set_config('tcp_keepalives_interval', '10', false),
  set_config('tcp_keepalives_count', '3', false),
  set_config('jit', 'off', false)`,
  // Ends a statement when its client is gone: the process was killed, or the connection closed because nobody waits any
  // more. The server checks this often. Not every operating system can tell (PostgreSQL documentation, 20.3.1).
  `select set_config('client_connection_check_interval', '100ms', false)`,
];

/** The folder of migrations, functions and views. */
export function sqlFolder(): string {
  return `${packageRoot()}/db`;
}

/**
 * Opens the configured database and migrates its schema: a PostgreSQL server, or the embedded one of DATA_DIR, which is
 * started here unless a server already runs it.
 * @throws OperatorError when it cannot be reached or used.
 */
export async function openDatabase(config: Config, options: OpenOptions): Promise<OpenDatabase> {
  const running = config.databaseUrl ?? (options.besideServer ? await runningEmbedded(config.dataDir) : undefined);
  const embedded = running === undefined ? await startEmbedded(config.dataDir, options.embeddedWatch) : undefined;
  const url = running ?? embedded?.url ?? '';
  const isEmbedded = config.databaseUrl === undefined;
  const connection = connect({
    url,
    max: config.databasePool,
    applicationName: options.applicationName,
    onIdleError: options.onIdleError,
    settings: isEmbedded ? [] : CONNECTION_SETTINGS,
    ownSessions: !isEmbedded,
  });
  const stopCheckpointer = embedded ? startWalCheckpointer(connection.pool) : undefined;
  const close = async (): Promise<void> => {
    stopCheckpointer?.();
    await connection.close();
    await embedded?.stop();
  };
  try {
    const migration = await migrateOnce(connection, url);
    const { db, pool } = connection;
    const rowSecurity = await mayBecomeTenant(db);
    if (!rowSecurity) migration.warnings.push(ROW_SECURITY_OFF);
    const tenants = (withinMs?: number): Tenants => createTenants(pool, rowSecurity, withinMs);
    return { connection, url, embedded, isEmbedded, migration, tenants, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function migrateOnce(connection: Connection, url: string): Promise<MigrationReport> {
  let client;
  try {
    client = await connection.pool.connect();
  } catch (error) {
    if (sqlState(error) === 'ERR_INVALID_URL') throw new OperatorError(NOT_A_URL, { cause: error });
    const reason = error instanceof Error && error.message !== '' ? error.message : (sqlState(error) ?? 'no answer');
    throw (
      explainRefusal(error, url) ?? new OperatorError(`The database cannot be reached: ${reason}`, { cause: error })
    );
  }
  try {
    return await migrate(client, sqlFolder());
  } finally {
    client.release();
  }
}
