#!/usr/bin/env node
// First of all: a process that is number 1 of a container and has no handler never hears of these signals, and what
// follows takes most of a second to load. Whoever handles them later, as `serve` does, is alone in it.
for (const [signal, code] of [
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const)
  process.on(signal, () => {
    if (process.listenerCount(signal) === 1) process.exit(process.argv[2] === 'serve' ? 0 : code);
  });

const { runCommand } = await import('./cli/shared/run-command.js');
process.exitCode = await runCommand(process.argv.slice(2), {
  environment: process.env,
  // Not read before it is needed: opening it keeps a process alive.
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
});
// Threads have ended by now. Remaining handles (a keep-alive socket to a hub) must not keep the process. First flush
// the output: a pipe may be full.
process.stdout.write('', () => process.stderr.write('', () => process.exit()));
