import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

export interface RunningDemo {
  /** CONSOLE_URL. */
  url: string;
  /** Where the API answers, and a key of the demo's project. */
  api: string;
  key: string;
  email: string;
  password: string;
  stop: () => Promise<void>;
}

const MAX_START_MS = 900_000;
/** What the demo says when its traffic is written. */
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
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await exited;
    await rm(folder, { recursive: true });
  };
  const late = AbortSignal.timeout(MAX_START_MS);
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  try {
    for (;;) {
      const found = /The console: (\S+)\n\s+e-mail address (\S+)\n\s+password (\S+)/.exec(said);
      const [, url = '', email = '', password = ''] = found ?? [];
      const [, api = '', key = ''] = /ready at (\S+)[^]*?(pm_live_\w+)/.exec(said) ?? [];
      if (found && said.includes(WRITTEN)) return { url, api, key, email, password, stop };
      if (child.exitCode !== null) throw new Error(`the demo ended with ${child.exitCode}`);
      await pause(200, undefined, { signal: late });
    }
  } catch (error) {
    await stop();
    throw error;
  }
}
