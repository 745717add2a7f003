import type { Command } from 'commander';
import { effectiveSettings, type EffectiveSetting } from '../platform/settings/effective-settings.js';
import { print, table, type CommandContext } from './shared/context.js';

export function addConfigCommand(program: Command, context: CommandContext): void {
  program
    .command('config')
    .option('--json', 'one JSON value on stdout')
    .action((options: { json?: boolean }) => {
      const settings = effectiveSettings(context.environment);
      const value = Object.fromEntries(settings.map(({ name, ...rest }) => [name, rest]));
      print(context, options, value, () => table([['SETTING', 'VALUE', 'SOURCE'], ...settings.map(row)]));
    });
}

function row({ name, value, source, file }: EffectiveSetting): string[] {
  return [name, String(value ?? 'unset'), file === undefined ? source : `${source} ${file}`];
}
