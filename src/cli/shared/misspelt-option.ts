import type { Command } from 'commander';
import { nearestName } from '../../text/words/likeness.js';

/**
 * Names the option of a command line that its command does not have, and the one that was probably meant. Commander
 * names a required option first that is missing, though it stands there with a slip. Undefined: all options are known.
 */
export function describeMisspeltOption(program: Command, args: readonly string[]): string | undefined {
  let command = program;
  for (const word of args) {
    const found = command.commands.find((one) => one.name() === word);
    if (!found) break;
    command = found;
  }
  const known = ['--help', ...command.options.flatMap(({ long }) => long ?? [])];
  const given = args.filter((word) => word.startsWith('--') && word !== '--').map((word) => word.replace(/=.*/s, ''));
  const unknown = given.find((name) => !known.includes(name));
  if (unknown === undefined) return undefined;
  const meant = nearestName(unknown, known);
  return `error: unknown option '${unknown}'${meant === undefined ? '' : `\n(Did you mean ${meant}?)`}\n`;
}
