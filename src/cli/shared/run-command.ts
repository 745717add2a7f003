import { Command, CommanderError } from 'commander';
import { OperatorError } from '../../base/errors.js';
import { describeVersion } from '../../base/package-root.js';
import { databaseUrlOf } from '../../platform/settings/secret-files.js';
import type { CommandContext } from './context.js';
import { nearestName } from '../../text/words/likeness.js';

/** Runs one command with these words. Its output goes to the context's streams. Returns its exit code. */
export async function runCommand(args: readonly string[], context: CommandContext): Promise<number> {
  const { environment, stdout, stderr } = context;
  const program = new Command('pathmend')
    .description('Recovers the visitors of missing pages. Settings are environment variables; settings.md lists them.')
    .version(describeVersion())
    .showHelpAfterError('(--help shows what is possible)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      outputError: (text, write) => {
        write((text.startsWith('error: required option') ? describeMisspeltOption(program, args) : undefined) ?? text);
      },
    });
  // `serve` logs these warnings.
  program.hook('preAction', async (_program, command) => {
    if (command.name() === 'serve') return;
    const { misspeltSettings } = await import('../../platform/settings/effective-settings.js');
    for (const warning of misspeltSettings(environment)) stderr.write(`${warning}\n`);
  });
  await addCommands(program, context, args);
  try {
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has reported a wrong option itself, and --help needs no message.
    if (error instanceof CommanderError) return error.exitCode;
    if (error instanceof OperatorError) {
      stderr.write(`${error.message}\n`);
      return error.exitCode;
    }
    // This is loaded here only, because it loads the database's driver.
    const { describeFailure } = await import('./describe-failure.js');
    stderr.write(`${describeFailure(error, databaseUrlOf(environment))}\n`);
    return 1;
  }
}

type AddCommands = (program: Command, context: CommandContext) => void;

interface Group {
  description: string;
  /** Loads the commands of the group. `args` has all words, for a group that loads only a part of them. */
  load: (args: readonly string[]) => Promise<AddCommands>;
}

/**
 * Every command or group of commands, with its arguments as the list of all shows it, and the file that has it. Loading
 * all of them takes half a second, and scripts call commands in loops: only the requested one is loaded.
 */
const GROUPS: Readonly<Record<string, Group>> = {
  'serve [options]': {
    description: 'migrate the database, then serve',
    load: async () => (await import('../serve-command.js')).addServeCommand,
  },
  'migrate [options]': {
    description: 'bring the schema up to date',
    load: async () => (await import('../migrate-command.js')).addMigrateCommand,
  },
  project: {
    description: 'projects: the tenants, one per site',
    load: async () => (await import('../projects/project-commands.js')).addProjectCommands,
  },
  key: {
    description: 'API keys of a project',
    load: async () => (await import('../projects/key-commands.js')).addKeyCommands,
  },
  pages: {
    description: 'pages of a project',
    load: async () => (await import('../pages-commands.js')).addPagesCommands,
  },
  redirects: {
    description: 'old paths whose pages are known',
    load: loadRedirects,
  },
  events: {
    description: '404s and clicks of a project',
    load: async () => (await import('../events-commands.js')).addEventsCommands,
  },
  watch: {
    description: 'alerts of a project and its weekly digest, by e-mail and webhook',
    load: async () => (await import('../watch-commands.js')).addWatchCommands,
  },
  user: {
    description: 'people who work in the console',
    load: async () => (await import('../projects/user-commands.js')).addUserCommands,
  },
  analyst: {
    description: 'database logins that read the views of analytics',
    load: async () => (await import('../projects/analyst-commands.js')).addAnalystCommands,
  },
  'doctor [options]': {
    description: 'look at settings, database, model, disk and queue: what is wrong and what to do; changes nothing',
    load: async () => (await import('../doctor-command.js')).addDoctorCommand,
  },
  'config [options]': {
    description: 'the settings as they are taken, and where each comes from; secrets are not shown',
    load: async () => (await import('../config-command.js')).addConfigCommand,
  },
};

const RULES = ['add', 'remove', 'list', 'history', 'try', 'undo'];
const PROPOSALS = ['propose', 'proposals', 'confirm', 'reject'];

/** The files of `redirects` with their commands, in the order in which `--help` lists these. */
const REDIRECTS: readonly { commands: readonly string[]; load: () => Promise<AddCommands> }[] = [
  { commands: ['import'], load: async () => (await import('../redirects/import-command.js')).addRedirectsImport },
  { commands: ['export'], load: async () => (await import('../redirects/export-command.js')).addRedirectsExport },
  { commands: ['map'], load: async () => (await import('../redirects/map-command.js')).addRedirectsMap },
  { commands: ['verify'], load: async () => (await import('../redirects/verify-command.js')).addRedirectsVerify },
  { commands: ['check'], load: async () => (await import('../redirects/check-command.js')).addRedirectsCheck },
  { commands: RULES, load: async () => (await import('../redirects/rules-commands.js')).addRulesCommands },
  { commands: PROPOSALS, load: async () => (await import('../redirects/proposals-commands.js')).addProposalsCommands },
  { commands: ['sections'], load: async () => (await import('../redirects/rules-listing.js')).addRedirectsSections },
];

/** Loads the file of `redirects` that has the command of `args`; all of them for `--help` and for unknown words. */
async function loadRedirects(args: readonly string[]): Promise<AddCommands> {
  const [, name = ''] = args.filter((word) => word !== '--');
  const known = REDIRECTS.filter(({ commands }) => commands.includes(name));
  const adders = await Promise.all((known.length > 0 ? known : REDIRECTS).map(({ load }) => load()));
  return (program, context) => {
    const redirects = program.command('redirects');
    for (const add of adders) add(redirects, context);
  };
}

/** Adds the command that `args` name; else the names of all, for `--help` and for unknown words. */
export async function addCommands(program: Command, context: CommandContext, args: readonly string[]): Promise<void> {
  const groupName = args.find((word) => word !== '--' && word !== 'help');
  const [, group] = Object.entries(GROUPS).find(([name]) => name.split(' ')[0] === groupName) ?? [];
  if (!group)
    for (const [name, { description }] of Object.entries(GROUPS)) program.command(name).description(description);
  else {
    (await group.load(args))(program, context);
    program.commands[0]?.description(group.description);
  }
}

/**
 * Names the option of a command line that its command does not have, and the option that was probably meant. Commander
 * would first report a required option as missing, though it is misspelt. Undefined: all options are known.
 */
export function describeMisspeltOption(program: Command, args: readonly string[]): string | undefined {
  let command = program;
  for (const word of args) {
    const subcommand = command.commands.find((candidate) => candidate.name() === word);
    if (!subcommand) break;
    command = subcommand;
  }
  const known = ['--help', ...command.options.flatMap(({ long }) => long ?? [])];
  const options = args.filter((word) => word.startsWith('--') && word !== '--').map((word) => word.replace(/=.*/s, ''));
  const unknown = options.find((name) => !known.includes(name));
  if (unknown === undefined) return undefined;
  const meant = nearestName(unknown, known);
  return `error: unknown option '${unknown}'${meant === undefined ? '' : `\n(Did you mean ${meant}?)`}\n`;
}
