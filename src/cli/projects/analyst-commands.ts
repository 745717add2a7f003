import type { Command } from 'commander';
import { onCommandLine } from '../../accounts/actor.js';
import { OperatorError } from '../../base/errors.js';
import { makeAnalyst } from '../../projects/analysts.js';
import { requireProject } from '../shared/command-database.js';
import type { CommandContext } from '../shared/context.js';
import { databaseCommand } from '../shared/project-command.js';

export function addAnalystCommands(program: Command, context: CommandContext): void {
  databaseCommand<{ project?: string }>(program.command('analyst'), context, 'create', {
    description: 'make a login that reads the schema analytics, with a schema of its own; its url is shown this once',
    takes: (command) =>
      command.argument('<name>').option('--project <id|name>', 'in this project; in all, if not given'),
    run: async ({ db, config, args: [name = ''], options, say }) => {
      const server = config.databaseDirectUrl ?? config.databaseUrl;
      if (server === undefined)
        throw new OperatorError(
          'The embedded database has no logins: analysts need a server, which DATABASE_URL names.',
        );
      const project = options.project === undefined ? undefined : await requireProject(db, options.project);
      const url = urlOfLogin(server, name, await makeAnalyst(db, onCommandLine(), name, project));
      say({ name, url }, () => `${url}\n\nKeep it now: the password is not shown again.`);
    },
  });
}

/** The url of the same database for another login, without the operator's own, which PGPASSWORD_FILE adds to it. */
export function urlOfLogin(server: string, name: string, password: string): string {
  const url = new URL(server);
  for (const key of ['user', 'password']) url.searchParams.delete(key);
  // The url of a socket has no host, and takes a login only as parameters.
  if (url.host === '')
    for (const [key, value] of Object.entries({ user: name, password })) url.searchParams.set(key, value);
  else [url.username, url.password] = [name, password];
  // libpq reads a plus sign as itself.
  url.search = url.search.replaceAll('+', '%20');
  return url.href;
}
