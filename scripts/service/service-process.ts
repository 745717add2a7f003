import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '#src/base/package-root.js';
import { startChild, type Child } from './child.js';

const run = promisify(execFile);
const command = join(packageRoot(), 'dist', 'cli.js');
const NO_LIMIT = ['read-rate', 'read-burst', 'write-rate', 'write-burst'].flatMap((rate) => [`--${rate}`, '1000000']);

/**
 * The service as an operator runs it, in a process of its own; `url` is where it answers.
 * @param log ignore: where it has every reason to complain.
 */
export async function startServiceProcess(
  role: 'all' | 'api' | 'worker',
  environment: NodeJS.ProcessEnv,
  log: 'inherit' | 'ignore' = 'inherit',
): Promise<Child & { url: string }> {
  const settings = { LOG_LEVEL: 'error', ...environment, PORT: '0', HOST: '127.0.0.1' };
  const child = await startChild([command, 'serve', '--role', role, '--json'], settings, log);
  return { ...child, url: (child.ready as { url: string }).url };
}

/** A command of the command line; its JSON answer. */
export async function runCommand(argv: readonly string[], environment: NodeJS.ProcessEnv): Promise<unknown> {
  const { stdout } = await run(process.execPath, [command, ...argv, '--json'], {
    env: environment,
    maxBuffer: 1 << 26,
  });
  return JSON.parse(stdout) as unknown;
}

/** A project without rate limits; its key. */
export async function createUnlimitedProject(name: string, environment: NodeJS.ProcessEnv): Promise<string> {
  await runCommand(['project', 'create', '--name', name, '--plan', 'enterprise', ...NO_LIMIT], environment);
  return (
    (await runCommand(
      ['key', 'create', '--project', name, '--mode', 'live', '--scopes', 'read,write,rules'],
      environment,
    )) as { key: string }
  ).key;
}
