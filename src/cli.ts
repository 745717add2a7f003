#!/usr/bin/env node
import { runCommand } from './cli/shared/run-command.js';

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
