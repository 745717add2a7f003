import type { Command } from 'commander';
import type { CommandContext } from './context.js';

type AddCommands = (program: Command, context: CommandContext) => void;

/**
 * Every command, or group of commands, and the file that has it. Loading all of them takes half a second, and scripts
 * call commands in loops: only the one that is asked for is loaded.
 */
const GROUPS: Record<string, () => Promise<AddCommands>> = {
  serve: async () => (await import('./serve-commands.js')).addServeCommands,
  project: async () => (await import('./project-commands.js')).addProjectCommands,
  key: async () => (await import('./key-commands.js')).addKeyCommands,
  pages: async () => (await import('./pages-commands.js')).addPagesCommands,
  redirects: async () => (await import('./redirects-commands.js')).addRedirectsCommands,
  events: async () => (await import('./events-commands.js')).addEventsCommands,
  watch: async () => (await import('./watch-commands.js')).addWatchCommands,
  user: async () => (await import('./user-commands.js')).addUserCommands,
  doctor: async () => (await import('./doctor-command.js')).addDoctorCommand,
  config: async () => (await import('./config-command.js')).addConfigCommand,
};

/** `migrate` stands beside `serve`. */
const ELSEWHERE: Record<string, string> = { migrate: 'serve' };

/** Adds the commands that `args` name, or all of them, for `--help` and for words that are none. */
export async function addCommands(program: Command, context: CommandContext, args: readonly string[]): Promise<void> {
  const asked = args[0] ?? '';
  const group = GROUPS[ELSEWHERE[asked] ?? asked];
  for (const load of group ? [group] : Object.values(GROUPS)) (await load())(program, context);
}
