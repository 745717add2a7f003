import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { packageRoot } from '#src/base/package-root.js';
import { saidAloud } from './said-aloud.js';

const CLI = `${packageRoot()}/dist/cli.js`;

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a command of the CLI as its own process, with these settings and no others, and `input` on its stdin. */
export async function runCli(
  args: readonly string[],
  environment: Record<string, string>,
  input = '',
): Promise<Finished> {
  const child = spawn(process.execPath, [CLI, ...args], { env: { ...bare(), ...environment } });
  // A command that does not read its stdin may end before all of it is written.
  child.stdin.on('error', () => undefined).end(input);
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  await once(child, 'close');
  saidAloud(stderr);
  return { code: child.exitCode, stdout, stderr };
}

/** Returns the JSON that a command prints; fails with its stderr when it does not succeed. */
export async function cliJson(args: readonly string[], environment: Record<string, string>): Promise<unknown> {
  const { code, stdout, stderr } = await runCli([...args, '--json'], environment);
  if (code !== 0) throw new Error(`${args.join(' ')} ended with code ${String(code)}: ${stderr}`);
  return JSON.parse(stdout);
}

export interface ServerProcess {
  url: string;
  pid: number;
  /** Returns what the process wrote so far. */
  stdout(): string;
  stderr(): string;
  /** Sends the signal and resolves, when the process is gone, with its exit code; null: killed. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** The servers that still run. A test that fails may leave one, for which mocha would wait without end. */
const running = new Set<ChildProcess>();

export async function killServers(): Promise<void> {
  for (const child of running) {
    const closed = once(child, 'close');
    child.kill('SIGKILL');
    await closed;
  }
}

/** Starts `serve` as its own process on a free port; resolves when it serves. */
export async function startServer(
  environment: Record<string, string>,
  args: readonly string[] = [],
): Promise<ServerProcess> {
  const child = spawn(process.execPath, [CLI, 'serve', '--json', ...args], {
    env: { ...bare(), PORT: '0', LOG_LEVEL: 'error', ...environment },
  });
  const forget = (): void => {
    child.kill('SIGKILL');
  };
  process.once('exit', forget);
  const closed = once(child, 'close');
  running.add(child);
  void closed.then(() => {
    running.delete(child);
    process.off('exit', forget);
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const line = once(createInterface(child.stdout), 'line') as Promise<[string]>;
  const early = closed.then(() => {
    throw new Error(`serve ended with code ${String(child.exitCode)}: ${stderr}`);
  });
  // When the process ends later, no code waits for this promise.
  early.catch(() => undefined);
  const [text] = await Promise.race([line, early]);
  const { url } = JSON.parse(text) as { url: string };
  // This is the command line that `ps` shows, where it can be read.
  saidAloud(await readFile(`/proc/${child.pid ?? 0}/cmdline`, 'utf8').catch(() => ''));
  return {
    url,
    pid: child.pid ?? 0,
    stdout: () => stdout,
    stderr: () => stderr,
    end: async (signal) => {
      child.kill(signal);
      await closed;
      saidAloud(stderr);
      return child.exitCode;
    },
  };
}

function bare(): Record<string, string> {
  const { PATH = '', HOME = '', TMPDIR = '/tmp' } = process.env;
  // The smallest model, as in services of tests.
  return { PATH, HOME, TMPDIR, EMBEDDING_MODEL: 'static' };
}
