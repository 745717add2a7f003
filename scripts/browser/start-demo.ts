import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

export interface RunningDemo {
  /** The address at which the API answers. */
  api: string;
  /** Runs a command with the demo's database; returns what it prints. */
  run: (...command: string[]) => Promise<string>;
  /** The console's address, with its path. */
  url: string;
  email: string;
  password: string;
  stop: () => Promise<void>;
}

const MAX_START_MS = 900_000;
/** The demo prints this when its traffic is written. */
const WRITTEN = 'traffic is written';

/** Starts the demo in a folder of its own, on free ports, and waits until its month of traffic is written. */
export async function startDemo(): Promise<RunningDemo> {
  const folder = await mkdtemp(join(tmpdir(), 'pathmend-demo-'));
  const environment = { ...process.env, DATA_DIR: folder, PORT: '0', CONSOLE_PORT: '0', LOG_LEVEL: 'info' };
  const child = spawn(process.execPath, ['dist/cli.js', 'serve', '--demo'], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const run = async (...command: string[]): Promise<string> =>
    (await promisify(execFile)(process.execPath, ['dist/cli.js', ...command], { env: environment })).stdout;
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await exited;
    await rm(folder, { recursive: true });
  };
  const late = AbortSignal.timeout(MAX_START_MS);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  try {
    for (;;) {
      const loginMatch = /The console: (\S+)\n\s+e-mail address (\S+)\n\s+password (\S+)/.exec(output);
      const [, url = '', email = '', password = ''] = loginMatch ?? [];
      const api = /pathmend is ready at (\S+)/.exec(output)?.[1] ?? '';
      if (loginMatch && output.includes(WRITTEN)) return { api, run, url, email, password, stop };
      if (child.exitCode !== null) throw new Error(`the demo ended with ${child.exitCode}`);
      await pause(200, undefined, { signal: late });
    }
  } catch (error) {
    await stop();
    throw error;
  }
}
