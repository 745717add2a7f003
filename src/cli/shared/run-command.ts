import { Command, CommanderError } from 'commander';
import { OperatorError } from '../../base/errors.js';
import { packageVersion } from '../../base/package-root.js';
import { misspeltSettings } from '../../platform/settings/misspelt-settings.js';
import { databaseUrlOf } from '../../platform/settings/secret-files.js';
import { addCommands } from './command-groups.js';
import type { CommandContext } from './context.js';
import { describeMisspeltOption } from './misspelt-option.js';

/** Runs one command with these words; all that it says goes to the context's streams. Returns its exit code. */
export async function runCommand(args: readonly string[], context: CommandContext): Promise<number> {
  const { environment, stdout, stderr } = context;
  const program = new Command('pathmend')
    .description(
      'Recovers the visitors of missing pages. Settings are environment variables; docs/settings.md lists them.',
    )
    .version(packageVersion())
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
  program.hook('preAction', (_program, command) => {
    if (command.name() !== 'serve') for (const warning of misspeltSettings(environment)) stderr.write(`${warning}\n`);
  });
  await addCommands(program, context, args);
  try {
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    // Of a wrong option, commander has said what is wrong; after --help there is nothing to say.
    if (error instanceof CommanderError) return error.exitCode;
    if (error instanceof OperatorError) {
      stderr.write(`${error.message}\n`);
      return error.exitCode;
    }
    // Loaded here: it knows the database's driver.
    const { describeFailure } = await import('./describe-failure.js');
    stderr.write(`${describeFailure(error, databaseUrlOf(environment))}\n`);
    return 1;
  }
}
