import { parseConfig, type Config } from '../settings/config.js';
import { openDatabase } from '../database/open-database.js';
import type { Db } from '../database/db.js';
import type { Tenants } from '../database/session/tenants.js';
import { findProject, type ProjectRow } from '../database/queries/projects.js';
import { OperatorError } from '../errors.js';
import { JOBS } from '../jobs.js';
import { startJobQueue, type JobQueue } from '../queue/queue.js';
import { createLogger, type Logger } from '../logger.js';
import { PROJECT_GONE } from './describe-failure.js';

/** What commands read and write beside the database. */
export interface CommandContext {
  environment: Record<string, string | undefined>;
  stdout: NodeJS.WritableStream;
  stderr: NodeJS.WritableStream & { isTTY?: boolean };
}

export interface CommandDatabase {
  config: Config;
  db: Db;
  tenants: Tenants;
  logger: Logger;
  /** Whether this command runs the embedded database itself: then no server can be running on it. */
  alone: boolean;
  /** Queues jobs for a running server; made on first use. */
  queue: () => Promise<JobQueue>;
}

/** Lends a command the database, beside a running server if there is one, and closes it behind the command. */
export async function withDatabase<T>(
  context: CommandContext,
  work: (database: CommandDatabase) => Promise<T>,
): Promise<T> {
  const config = parseConfig(context.environment);
  // A command says what it has to say itself; its log is for what goes wrong.
  const logger = createLogger(config.logLevel === 'info' ? 'warn' : config.logLevel, context.stderr);
  const database = await openDatabase(config, {
    besideServer: true,
    applicationName: 'pathmend-cli',
    onIdleError: (error) => {
      logger.warn('a database connection was lost', { error });
    },
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
      queue: () =>
        (queue ??= startJobQueue({
          connection: database.connection,
          listenUrl: undefined,
          works: false,
          jobs: JOBS,
          logger,
        })),
    });
  } finally {
    await (await queue)?.stop();
    await database.close();
  }
}

/** @throws OperatorError */
export async function requireProject(db: Db, idOrName: string): Promise<ProjectRow> {
  const project = await findProject(db, idOrName);
  if (!project) throw new OperatorError(`There is no project ${JSON.stringify(idOrName)}; \`project list\` shows all.`);
  return project;
}

/** That it was not deleted while a command worked on it. @throws OperatorError */
export async function requireNotDeleted(db: Db, project: ProjectRow): Promise<void> {
  if (!(await findProject(db, project.project_id))) throw new OperatorError(PROJECT_GONE);
}

/** One JSON value for programs, or lines for people. */
export function print(
  context: CommandContext,
  { json }: { json?: boolean },
  value: unknown,
  lines: () => string,
): void {
  context.stdout.write(json ? `${JSON.stringify(value)}\n` : `${lines()}\n`);
}

/** Columns of equal width. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length))) ?? [];
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
