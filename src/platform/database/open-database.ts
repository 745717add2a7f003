import { resolve } from 'node:path';
import type { Config } from '../settings/config.js';
import { OperatorError } from '../../base/errors.js';
import { packageRoot } from '../../base/package-root.js';
import { connect, keepsSessions, type Connection } from './session/connect.js';
import { sqlState } from './session/database-errors.js';
import type { DatabaseUrl } from './session/login.js';
import type { ConnectionSettings } from './session/session-settings.js';
import type { EmbeddedWatch } from './embedded/supervise-database.js';
import { announceFolder, runningEmbedded, startEmbedded, type EmbeddedDatabase } from './embedded/start-embedded.js';
import { startWalCheckpointer } from './embedded/wal-checkpointer.js';
import { migrate, type MigrationReport } from './schema/migrate.js';
import { explainConnection, explainRefusal } from './explain-refusal.js';
import { createTenants, mayBecomeTenant, type Tenants } from './session/tenants.js';

/** The configured database as it is found. */
export interface FoundDatabase {
  connection: Connection;
  /** The connection past a pooler, for work that needs a session; `connection` without DATABASE_DIRECT_URL. */
  direct: Connection;
  directUrl: DatabaseUrl;
  url: string;
  /** The embedded database; set when this process runs it, not when it uses that of a running server. */
  embedded: EmbeddedDatabase | undefined;
  /** Whether the database is the embedded one, in this process or another. */
  isEmbedded: boolean;
  close(): Promise<void>;
}

export interface OpenDatabase extends FoundDatabase {
  migration: MigrationReport;
  /** Whether sessions are limited to their project by row level security. */
  rowSecurity: boolean;
  /** Sessions for one project each; `withinMs` as in {@link createTenants}. */
  tenants(withinMs?: number): Tenants;
}

export interface OpenOptions {
  /** True for commands: they use the embedded database of a running server. False: a running server is an error. */
  besideServer: boolean;
  applicationName: string;
  onIdleError: (error: Error) => void;
  /** Receives the deaths and restarts of the embedded database. */
  embeddedWatch?: EmbeddedWatch;
  /** Settings of each connection to a server, in addition to {@link CONNECTION_SETTINGS}. */
  settings?: readonly ConnectionSettings[];
}

const ROW_SECURITY_OFF =
  'Row level security is off: this database role may not become pathmend_tenant. Statements alone keep projects apart. ' +
  'Ask an administrator for the roles in docs/operate/database.md, then run `migrate`.';
/** Operators with a pooler in transaction mode get this advice. */
export const SET_DIRECT_URL =
  'Set DATABASE_DIRECT_URL to the url of the server itself, or the pooler to `pool_mode = session` ' +
  '(docs/operate/availability.md, Pooler).';
const NO_SESSIONS = `DATABASE_URL leads to a pooler that gives each transaction another session. ${SET_DIRECT_URL}`;
const DIRECT_IS_POOLED =
  'DATABASE_DIRECT_URL leads to a pooler, too, which gives each transaction another session: name the server itself.';
const NOT_A_URL =
  'DATABASE_URL is not a valid url: see its host and port, and write special characters of the password as %40 and the like.';
/** The max direct connections: for migrations, and for a build of indexes with its cancellation. */
const MAX_DIRECT = 2;
/**
 * Settings of a server for each connection. When the network drops us in silence, the defaults keep the connection for
 * two hours, and with it the locks of its open transaction. Our transactions are never idle for 20 s. JIT is off: for
 * expensive statements it takes longer than they do. A statement sets them: poolers refuse them at start-up.
 */
export const CONNECTION_SETTINGS: readonly ConnectionSettings[] = [
  { values: { idle_in_transaction_session_timeout: '20s', jit: 'off' } },
  {
    values: { tcp_keepalives_idle: '30', tcp_keepalives_interval: '10', tcp_keepalives_count: '3' },
    isOfConnection: true,
  },
  // Ends a statement when its client is gone: the process was killed, or the connection closed because nobody waits for
  // the answer. The server checks its client at this interval. Not every operating system can tell (PostgreSQL
  // documentation, 20.3.1).
  { values: { client_connection_check_interval: '100ms' } },
];

/** The folder of migrations, functions and views. */
export function sqlFolder(): string {
  return `${packageRoot()}/db`;
}

/** Opens the configured database as it is; the embedded one is started unless it runs. @throws OperatorError */
export async function findDatabase(config: Config, options: OpenOptions): Promise<FoundDatabase> {
  const running = config.databaseUrl ?? (options.besideServer ? await runningEmbedded(config.dataDir) : undefined);
  const embedded = running === undefined ? await startEmbedded(config.dataDir, options.embeddedWatch) : undefined;
  const url = running ?? embedded?.url ?? '';
  const isEmbedded = config.databaseUrl === undefined;
  const same = {
    applicationName: options.applicationName,
    onIdleError: options.onIdleError,
    settings: isEmbedded ? [] : [...CONNECTION_SETTINGS, ...(options.settings ?? [])],
    ownSessions: !isEmbedded,
  };
  const connection = connect({ ...same, url: config.databaseUrlNow ?? url, max: config.databasePool });
  const past = config.databaseDirectUrlNow ?? config.databaseDirectUrl;
  const direct = past === undefined ? connection : connect({ ...same, url: past, max: MAX_DIRECT });
  const directUrl = past ?? config.databaseUrlNow ?? url;
  // A command stops its own database in a moment, so it announces none.
  const withdraw = embedded && !options.besideServer ? announceFolder(resolve(config.dataDir)) : undefined;
  const stopCheckpointer = embedded ? startWalCheckpointer(connection.pool) : undefined;
  const close = async (): Promise<void> => {
    withdraw?.();
    stopCheckpointer?.();
    await connection.close();
    await direct.close();
    await embedded?.stop();
  };
  return { connection, direct, directUrl, url, embedded, isEmbedded, close };
}

/** Opens the configured database and migrates its schema. @throws OperatorError when it cannot be reached or used. */
export async function openDatabase(config: Config, options: OpenOptions): Promise<OpenDatabase> {
  const database = await findDatabase(config, options);
  try {
    const directUrl = config.databaseDirectUrl;
    const migration = await migrateOnce(database.direct, directUrl ?? database.url, directUrl !== undefined);
    const { db, pool } = database.connection;
    const rowSecurity = await mayBecomeTenant(db);
    if (!rowSecurity) migration.warnings.push(ROW_SECURITY_OFF);
    const tenants = (withinMs?: number): Tenants => createTenants(pool, rowSecurity, withinMs);
    return { ...database, migration, rowSecurity, tenants };
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function migrateOnce({ pool }: Connection, url: string, isDirect: boolean): Promise<MigrationReport> {
  const kept = await keepsSessions(pool).catch((error: unknown) => {
    throw explainUnreachable(error, url);
  });
  if (!kept) throw new OperatorError(isDirect ? DIRECT_IS_POOLED : NO_SESSIONS);
  pool.keepsSessions = true;
  const client = await pool.connect();
  try {
    return await migrate(client, sqlFolder());
  } finally {
    client.release();
  }
}

/** Explains why the database cannot be reached, and what to do. */
export function explainUnreachable(error: unknown, url: string): OperatorError {
  if (sqlState(error) === 'ERR_INVALID_URL') return new OperatorError(NOT_A_URL, { cause: error });
  const connection = explainConnection(error);
  if (connection) return connection;
  const reason = error instanceof Error && error.message !== '' ? error.message : (sqlState(error) ?? 'no answer');
  return explainRefusal(error, url) ?? new OperatorError(`The database cannot be reached: ${reason}`, { cause: error });
}
