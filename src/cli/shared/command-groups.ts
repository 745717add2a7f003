import type { Command } from 'commander';
import type { CommandContext } from './context.js';

type AddCommands = (program: Command, context: CommandContext) => void;

interface Group {
  /** With its arguments, as the list of all commands shows it. */
  name: string;
  description: string;
  /** `args`: all words, for a group that loads only a part of it. */
  load: (args: readonly string[]) => Promise<AddCommands>;
}

/**
 * Every command, or group of commands, and the file that has it. Loading all of them takes half a second, and scripts
 * call commands in loops: only the one that is asked for is loaded.
 */
const GROUPS: readonly Group[] = [
  {
    name: 'serve [options]',
    description: 'migrate the database, then serve',
    load: async () => (await import('../serve-command.js')).addServeCommand,
  },
  {
    name: 'migrate [options]',
    description: 'bring the schema up to date',
    load: async () => (await import('../migrate-command.js')).addMigrateCommand,
  },
  {
    name: 'project',
    description: 'projects: the tenants, one per site',
    load: async () => (await import('../projects/project-commands.js')).addProjectCommands,
  },
  {
    name: 'key',
    description: 'API keys of a project',
    load: async () => (await import('../projects/key-commands.js')).addKeyCommands,
  },
  {
    name: 'pages',
    description: 'pages of a project',
    load: async () => (await import('../pages-commands.js')).addPagesCommands,
  },
  {
    name: 'redirects',
    description: 'old paths whose pages are known',
    load: async (args) => (await import('../redirects/commands.js')).loadRedirectsCommands(args),
  },
  {
    name: 'events',
    description: '404s and clicks of a project',
    load: async () => (await import('../events-commands.js')).addEventsCommands,
  },
  {
    name: 'watch',
    description: 'alerts of a project and its weekly digest, by e-mail and webhook',
    load: async () => (await import('../watch-commands.js')).addWatchCommands,
  },
  {
    name: 'user',
    description: 'people who work in the console',
    load: async () => (await import('../projects/user-commands.js')).addUserCommands,
  },
  {
    name: 'doctor [options]',
    description: 'look at settings, database, model, disk and queue: what is wrong and what to do; changes nothing',
    load: async () => (await import('../doctor-command.js')).addDoctorCommand,
  },
  {
    name: 'config [options]',
    description: 'the settings as they are taken, and where each comes from; secrets are not shown',
    load: async () => (await import('../config-command.js')).addConfigCommand,
  },
];

/** Adds the command that `args` name; else the names of all, for `--help` and for words that are none. */
export async function addCommands(program: Command, context: CommandContext, args: readonly string[]): Promise<void> {
  const asked = args.find((word) => word !== '--' && word !== 'help');
  const group = GROUPS.find(({ name }) => name.split(' ')[0] === asked);
  if (!group) for (const { name, description } of GROUPS) program.command(name).description(description);
  else {
    (await group.load(args))(program, context);
    program.commands[0]?.description(group.description);
  }
}
