import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { packageRoot } from '#src/package-root.js';

const CLI = join(packageRoot(), 'dist', 'cli.js');

export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
  /** The one JSON value that `--json` promises on stdout; throws when it is not one. */
  // Commands print values of every shape.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  json: any;
}

/** Runs a command as a process of its own, with nothing of this process's settings. */
export async function runCli(environment: Record<string, string>, ...args: string[]): Promise<CommandResult> {
  const child = start(environment, args);
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  const code = await exitOf(child);
  return {
    code,
    stdout: stdout(),
    stderr: stderr(),
    get json(): unknown {
      return JSON.parse(stdout());
    },
  };
}

/** As {@link runCli}, for commands that must work: returns what `--json` printed. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export async function cliJson(environment: Record<string, string>, ...args: string[]): Promise<any> {
  const result = await runCli(environment, ...args, '--json');
  if (result.code !== 0) throw new Error(`${args.join(' ')} ended with ${String(result.code)}: ${result.stderr}`);
  return result.json;
}

export interface ServerProcess {
  url: string;
  /** The first line of stdout. */
  line: string;
  stdout(): string;
  stderr(): string;
  /** Sends a signal and resolves to the exit code; null when the signal ended it. */
  end(signal: NodeJS.Signals): Promise<number | null>;
  signal(signal: NodeJS.Signals): void;
  exited: Promise<number | null>;
}

/** Starts `serve --json` on a free port and resolves when it says that it serves. */
export async function startServer(environment: Record<string, string>, ...args: string[]): Promise<ServerProcess> {
  const child = start({ PORT: '0', ...environment }, ['serve', '--json', ...args]);
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  const exited = exitOf(child);
  const line = await Promise.race([
    new Promise<string>((done) => {
      child.stdout?.on('data', () => {
        const [first, rest] = stdout().split('\n', 2);
        if (rest !== undefined) done(first ?? '');
      });
    }),
    exited.then((code) => Promise.reject(new Error(`serve ended with ${String(code)} before it served: ${stderr()}`))),
  ]);
  return {
    url: (JSON.parse(line) as { url: string }).url,
    line,
    stdout,
    stderr,
    exited,
    signal: (signal) => child.kill(signal),
    end: (signal) => {
      child.kill(signal);
      return exited;
    },
  };
}

function start(environment: Record<string, string>, args: readonly string[]): ChildProcess {
  const { PATH = '', HOME = '' } = process.env;
  return spawn(process.execPath, [CLI, ...args], { env: { PATH, HOME, ...environment }, stdio: ['ignore', 'pipe', 'pipe'] });
}

function collect(stream: NodeJS.ReadableStream | null): () => string {
  let text = '';
  stream?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return () => text;
}

function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((done, failed) => {
    child.once('error', failed);
    child.once('close', (code) => {
      done(code);
    });
  });
}
