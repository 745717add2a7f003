import type { Command } from 'commander';
import { openDatabase } from '../database/open-database.js';
import { createLogger } from '../logger.js';
import { loadConfig } from '../settings/load-config.js';
import { startCommandQueue } from './command-database.js';
import { print, type CommandContext } from './context.js';

export function addMigrateCommand(program: Command, context: CommandContext): void {
  program
    .command('migrate')
    .option('--json', 'one JSON value on stdout')
    .action(async (options: { json?: boolean }) => {
      const config = loadConfig(context.environment);
      const database = await openDatabase(config, {
        besideServer: true,
        applicationName: 'pathmend-migrate',
        onIdleError: () => undefined,
      });
      // Creates the tables of the queue too: the role of an api process may not.
      const logger = createLogger('warn', context.stderr);
      await startCommandQueue(database.connection, logger).then((queue) => queue.stop());
      await database.close();
      const { applied, repeated, warnings } = database.migration;
      for (const warning of warnings) context.stderr.write(`${warning}\n`);
      print(context, options, { applied, repeated, warnings }, () =>
        applied.length === 0 ? 'The schema is up to date.' : `Applied: ${applied.join(', ')}`,
      );
    });
}
