import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runCommand } from '#src/cli/shared/run-command.js';
import type { Finished } from './processes.js';
import { saidAloud } from './said-aloud.js';

/**
 * A command of the CLI in this process, as `runCli` runs it in one of its own, which takes ten times as long. It has
 * these settings and no others, and `input` on its stdin.
 */
export async function runInProcess(
  args: readonly string[],
  environment: Record<string, string>,
  input: string | Buffer = '',
): Promise<Finished> {
  const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
  const said = Promise.all([text(streams.stdout), text(streams.stderr)]);
  const code = await runCommand(args, { environment, stdin: Readable.from([Buffer.from(input)]), ...streams });
  streams.stdout.end();
  streams.stderr.end();
  const [stdout, stderr] = await said;
  saidAloud(stderr);
  return { code, stdout, stderr };
}

/** The JSON that a command prints; fails with what it said when it does not succeed. */
export async function jsonInProcess(args: readonly string[], environment: Record<string, string>): Promise<unknown> {
  const { code, stdout, stderr } = await runInProcess([...args, '--json'], environment);
  if (code !== 0) throw new Error(`${args.join(' ')} ended with code ${String(code)}: ${stderr}`);
  return JSON.parse(stdout);
}
