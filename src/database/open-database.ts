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
  /** Set when this process runs the embedded database; not when it only uses that of a running server. */
  embedded: EmbeddedDatabase | undefined;
  /** Whether the database is the embedded one, run by whomever. */
  isEmbedded: boolean;
  migration: MigrationReport;
  /** Everything that is done for one project; `withinMs` as in {@link createTenants}. */
  tenants(withinMs?: number): Tenants;
  close(): Promise<void>;
}

export interface OpenOptions {
  /** Take part in a running server's embedded database instead of refusing: for commands beside a server. */
  besideServer: boolean;
  applicationName: string;
  onIdleError: (error: Error) => void;
  /** Hears when the embedded database died and came back. */
  embeddedWatch?: EmbeddedWatch;
}

const ROW_SECURITY_OFF =
  'Row level security is off: this database role may not become pathmend_tenant. Statements keep projects rowSecurity alone. ' +
  'Ask an administrator for the roles in docs/operations.md, then run `migrate`.';
const NOT_A_URL =
  'DATABASE_URL is not a valid url: see its host and port, and write special characters of the password as %40 and the like.';
/**
 * What a server should do about us when the network drops us without a word: by its own defaults it would keep the
 * connection for two hours, and in it the locks of a transaction that nobody will end. No transaction of ours rests for
 * 20 s. And it should not compile our statements, which by its defaults it does where it expects them to be dear: that
 * takes longer than the dearest of them. Set by a statement: poolers refuse such settings in the start-up packet.
 */
export const SESSION_SETTINGS: readonly string[] = [
  `select set_config('idle_in_transaction_session_timeout', '20s', false),
  set_config('tcp_keepalives_idle', '30', false), set_config('tcp_keepalives_interval', '10', false),
  set_config('tcp_keepalives_count', '3', false),
  set_config('jit', 'off', false)`,
  // Our process may be killed, and a connection be broken because nobody waits for its statement any more: the server
  // looks this often whether somebody is there, and else ends the statement. Not every operating system can tell it
  // (PostgreSQL's documentation, 20.3.1).
  `select set_config('client_connection_check_interval', '100ms', false)`,
];

/** The folder of migrations, functions and views. */
export function sqlFolder(): string {
  return `${packageRoot()}/db`;
}

/**
 * Opens the configured database and brings its schema up to date: a PostgreSQL server, or the embedded one of
 * DATA_DIR, started here unless a server runs it already.
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
    settings: isEmbedded ? [] : SESSION_SETTINGS,
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
