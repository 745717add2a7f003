import type { Command } from 'commander';
import type { CommandContext } from '../shared/context.js';

interface Part {
  commands: readonly string[];
  load: () => Promise<(redirects: Command, context: CommandContext) => void>;
}

const RULES = ['add', 'remove', 'list', 'history', 'try', 'undo'];
const PROPOSALS = ['propose', 'proposals', 'confirm', 'reject'];

/** The parts of `redirects`, in the order in which `--help` lists their commands. */
const PARTS: readonly Part[] = [
  { commands: ['import'], load: async () => (await import('./import-command.js')).addRedirectsImport },
  { commands: ['export'], load: async () => (await import('./export-command.js')).addRedirectsExport },
  { commands: ['map'], load: async () => (await import('./map-command.js')).addRedirectsMap },
  { commands: ['verify'], load: async () => (await import('./verify-command.js')).addRedirectsVerify },
  { commands: ['check'], load: async () => (await import('./check-command.js')).addRedirectsCheck },
  { commands: RULES, load: async () => (await import('./rules-commands.js')).addRulesCommands },
  { commands: PROPOSALS, load: async () => (await import('./proposals-commands.js')).addProposalsCommands },
  { commands: ['sections'], load: async () => (await import('./rules-listing.js')).addRedirectsSections },
];

/** Loads the part that has the command of `args`; all of them for `--help` and for unknown words. */
export async function loadRedirectsCommands(
  args: readonly string[],
): Promise<(program: Command, context: CommandContext) => void> {
  const [, name = ''] = args.filter((word) => word !== '--');
  const known = PARTS.filter(({ commands }) => commands.includes(name));
  const adders = await Promise.all((known.length > 0 ? known : PARTS).map(({ load }) => load()));
  return (program, context) => {
    const redirects = program.command('redirects');
    for (const add of adders) add(redirects, context);
  };
}
