#!/usr/bin/env node
import { Command } from 'commander';
import { addEventsCommands } from './cli/events-commands.js';
import { addKeyCommands } from './cli/key-commands.js';
import { addPagesCommands } from './cli/pages-commands.js';
import { addProjectCommands } from './cli/project-commands.js';
import { addRedirectsCommands } from './cli/redirects-commands.js';
import { addServeCommands } from './cli/serve-commands.js';
import type { CommandContext } from './cli/context.js';
import { describeFailure } from './cli/describe-failure.js';
import { OperatorError } from './errors.js';
import { misspeltSettings } from './settings/misspelt-settings.js';

const context: CommandContext = {
  environment: process.env,
  // Not read before it is needed: opening it keeps a process alive.
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
};
const program = new Command('pathmend')
  .description(
    'Recovers the visitors of missing pages. Settings are environment variables; docs/settings.md lists them.',
  )
  .showHelpAfterError('(--help shows what is possible)');
// `serve` logs these warnings.
program.hook('preAction', (_program, command) => {
  if (command.name() !== 'serve')
    for (const warning of misspeltSettings(context.environment)) context.stderr.write(`${warning}\n`);
});
addServeCommands(program, context);
addProjectCommands(program, context);
addKeyCommands(program, context);
addPagesCommands(program, context);
addRedirectsCommands(program, context);
addEventsCommands(program, context);

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`${describeFailure(error, process.env['DATABASE_URL'])}\n`);
  process.exitCode = error instanceof OperatorError ? error.exitCode : 1;
}
// Threads have ended by now. Remaining handles (a keep-alive socket to a hub) must not keep the process. First flush
// the output: a pipe may be full.
process.stdout.write('', () => process.stderr.write('', () => process.exit()));
