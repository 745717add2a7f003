import { Option, type Command } from 'commander';
import { openDatabase, sqlFolder, type OpenDatabase } from '../platform/database/open-database.js';
import { formatList } from '../platform/database/schema/catalogue.js';
import { distribute, type DistributeReport } from '../platform/database/citus.js';
import { OperatorError } from '../base/errors.js';
import { createLogger } from '../platform/telemetry/create-logger.js';
import { chooseDatabase, startCommandQueue } from './shared/command-database.js';
import { print, type CommandContext } from './shared/context.js';

interface MigrateOptions {
  json?: boolean;
  distribute?: 'citus';
}

export function addMigrateCommand(program: Command, context: CommandContext): void {
  program
    .command('migrate')
    .addOption(
      new Option(
        '--distribute <how>',
        "then spread projects over the workers of the database's Citus cluster (docs/operate/citus.md)",
      ).choices(['citus']),
    )
    .option('--json', 'one JSON value on stdout')
    .action(async (options: MigrateOptions) => {
      const config = await chooseDatabase(context, true);
      const database = await openDatabase(config, {
        besideServer: true,
        applicationName: 'pathmend-migrate',
        onIdleError: () => undefined,
      });
      try {
        // This creates the tables of the queue, too, which the role of an api process may not do.
        const logger = createLogger('warn', context.stderr);
        await startCommandQueue(database.connection, logger).then((queue) => queue.stop());
        const { applied, repeated, warnings } = database.migration;
        for (const warning of warnings) context.stderr.write(`${warning}\n`);
        const cluster = options.distribute === undefined ? undefined : await distributeOn(database);
        print(context, options, { applied, repeated, warnings, ...(cluster && { cluster }) }, () =>
          [
            ...(applied.length > 0 ? [`Applied: ${applied.join(', ')}`] : []),
            ...(repeated.length > 0 ? [`Made again: ${formatList(repeated)}`] : []),
            ...(applied.length + repeated.length === 0 ? ['The schema is up to date.'] : []),
            ...(cluster ? [describeCluster(cluster)] : []),
          ].join('\n'),
        );
      } finally {
        await database.close();
      }
    });
}

async function distributeOn({ direct, isEmbedded }: OpenDatabase): Promise<DistributeReport> {
  if (isEmbedded)
    throw new OperatorError('The embedded database is one machine: set DATABASE_URL to the coordinator of a cluster.');
  const client = await direct.pool.connect();
  try {
    return await distribute(client, sqlFolder());
  } finally {
    client.release();
  }
}

function describeCluster({ distributed, tables, workers }: DistributeReport): string {
  const where = `${tables} tables by project, on ${workers} worker${workers === 1 ? '' : 's'}`;
  return distributed ? `Distributed: ${where}.` : `It is distributed already: ${where}. Nothing was changed.`;
}
