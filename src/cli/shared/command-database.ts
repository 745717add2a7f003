import { type Config, loadConfig } from '../../platform/settings/config.js';
import { openDatabase } from '../../platform/database/open-database.js';
import type { Db } from '../../platform/database/db.js';
import type { Connection } from '../../platform/database/session/connect.js';
import type { Tenants } from '../../platform/database/session/tenants.js';
import { findProject, type ProjectRow } from '../../projects/store/projects.js';
import { OperatorError } from '../../base/errors.js';
import type { JobQueue } from '../../platform/queue/queue.js';
import type { Logger } from '../../base/logger.js';
import { createLogger } from '../../platform/telemetry/create-logger.js';
import type { CommandContext } from './context.js';
import { PROJECT_GONE } from './describe-failure.js';
import { resolve } from 'node:path';
import { hasEmbedded, listRunningFolders } from '../../platform/database/embedded/start-embedded.js';
import { secretFileOf } from '../../platform/settings/secret-files.js';

export interface CommandDatabase {
  config: Config;
  db: Db;
  tenants: Tenants;
  logger: Logger;
  /** Whether this command runs the embedded database itself, so that no server does. */
  alone: boolean;
  /** Queues jobs for a running server. The queue is opened on first use. */
  queue: () => Promise<JobQueue>;
}

/**
 * Opens the database for a command, alongside a running server if there is one, and closes it afterwards.
 * @param makes whether the command makes sense on an empty database; else a missing database is an error
 */
export async function withDatabase<T>(
  context: CommandContext,
  work: (database: CommandDatabase) => Promise<T>,
  { makes = false } = {},
): Promise<T> {
  const config = await chooseDatabase(context, makes);
  // A command prints its results; its log is for problems.
  const logger = createLogger(config.logLevel === 'info' ? 'warn' : config.logLevel, context.stderr);
  const database = await openDatabase(config, {
    besideServer: true,
    applicationName: 'pathmend-cli',
    onIdleError: (error) => logger.warn('a database connection was lost', { error }),
  });
  let queue: Promise<JobQueue> | undefined;
  try {
    for (const warning of database.migration.warnings) logger.warn(warning);
    return await work({
      config,
      db: database.connection.db,
      tenants: database.tenants(),
      logger,
      alone: database.embedded !== undefined,
      queue: () => (queue ??= startCommandQueue(database.connection, logger)),
    });
  } finally {
    await (await queue)?.stop();
    await database.close();
  }
}

/** Starts a queue that takes jobs and does none. It is loaded here, because few commands queue anything. */
export async function startCommandQueue(connection: Connection, logger: Logger): Promise<JobQueue> {
  const [{ startJobQueue }, { JOBS }] = await Promise.all([
    import('../../platform/queue/queue.js'),
    import('../../app/jobs.js'),
  ]);
  return await startJobQueue({ connection, listenUrl: undefined, works: false, jobs: JOBS, logger });
}

/** @throws OperatorError */
export async function requireProject(db: Db, idOrName: string): Promise<ProjectRow> {
  const project = await findProject(db, idOrName);
  if (!project) throw new OperatorError(`There is no project ${JSON.stringify(idOrName)}; \`project list\` shows all.`);
  return project;
}

/** @throws OperatorError when the project was deleted while the command worked on it */
export async function requireNotDeleted(db: Db, project: ProjectRow): Promise<void> {
  if (!(await findProject(db, project.project_id))) throw new OperatorError(PROJECT_GONE);
}

const DEFAULT_FOLDER = './data';

/** Returns the settings; where no database is set or here, with a running server's folder. @throws OperatorError */
export async function findEnvironment({ environment, stderr }: Pick<CommandContext, 'environment' | 'stderr'>) {
  const isSet = (name: string): boolean => (environment[name] ?? '').trim() !== '';
  if (isSet('DATABASE_URL') || isSet('DATA_DIR') || secretFileOf(environment, 'DATABASE_URL') !== undefined)
    return environment;
  if (await hasEmbedded(DEFAULT_FOLDER)) return environment;
  const folders = await listRunningFolders();
  if (folders.length > 1)
    throw new OperatorError(
      `There is no database in ${resolve(DEFAULT_FOLDER)}, and several servers run: set DATA_DIR to ${folders.join(' or ')}.`,
    );
  const [folder] = folders;
  if (folder === undefined) return environment;
  stderr.write(`The database is that of the running server, in ${folder}.\n`);
  return { ...environment, DATA_DIR: folder };
}

/**
 * Returns the settings of a command, after a check that their embedded database exists, if they use one.
 * @param makes whether the command may begin with an empty database; a message names the folder of a new one
 * @throws OperatorError
 */
export async function chooseDatabase(context: CommandContext, makes: boolean): Promise<Config> {
  const config = loadConfig(await findEnvironment(context));
  if (config.databaseUrl !== undefined || (await hasEmbedded(config.dataDir))) return config;
  const folder = resolve(config.dataDir);
  if (!makes)
    throw new OperatorError(
      `There is no database in ${folder}. Run the command where the server was started, or set DATA_DIR to its data ` +
        'folder or DATABASE_URL to its database. `serve`, `migrate` and `project create` make a new one.',
    );
  context.stderr.write(`A new, empty database is made in ${folder} (DATA_DIR).\n`);
  return config;
}
