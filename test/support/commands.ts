import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runCommand } from '#src/cli/shared/run-command.js';
import type { Finished } from './processes.js';
import { run } from './run.js';
import { saidAloud } from './said-aloud.js';

/**
 * A command of the CLI in this process, as `runCli` runs it in one of its own, which takes ten times as long. It has
 * these settings and no others, by default those of the shared service, and `input` on its stdin.
 */
export async function runInProcess(
  args: readonly string[],
  environment = sharedEnvironment(),
  input: string | Buffer = '',
): Promise<Finished> {
  const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
  const outputs = Promise.all([text(streams.stdout), text(streams.stderr)]);
  const code = await runCommand(args, { environment, stdin: Readable.from([Buffer.from(input)]), ...streams });
  streams.stdout.end();
  streams.stderr.end();
  const [stdout, stderr] = await outputs;
  saidAloud(stderr);
  return { code, stdout, stderr };
}

function sharedEnvironment(): Record<string, string> {
  if (!run.service) throw new Error('the shared service does not run: import sharedService, or name the settings');
  return run.service.database.environment;
}

/** The JSON that a command prints; fails with what it said when it does not succeed. */
export async function jsonInProcess(args: readonly string[], environment = sharedEnvironment()): Promise<unknown> {
  const { code, stdout, stderr } = await runInProcess([...args, '--json'], environment);
  if (code !== 0) throw new Error(`${args.join(' ')} ended with code ${String(code)}: ${stderr}`);
  return JSON.parse(stdout);
}
