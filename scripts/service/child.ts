import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';

export interface Child {
  pid: number;
  /** The first line on its stdout, parsed as JSON. */
  ready: unknown;
  stop(): Promise<void>;
}

/** Starts a process and waits for its first line, a JSON value: it is ready then. */
export async function startChild(
  argv: readonly string[],
  environment: NodeJS.ProcessEnv,
  stderr: 'inherit' | 'ignore' = 'inherit',
): Promise<Child> {
  const child = spawn(process.execPath, argv, { env: environment, stdio: ['ignore', 'pipe', stderr] });
  const exited = once(child, 'exit');
  const ready = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line').then(([line]) => JSON.parse(line as string) as unknown),
    exited.then(([code, signal]) =>
      Promise.reject(new Error(`${argv.join(' ').slice(0, 200)} ended with ${String(code ?? signal)}`)),
    ),
  ]);
  return { pid: child.pid ?? 0, ready, stop: () => stop(child, exited) };
}

async function stop(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  child.kill('SIGTERM');
  await exited;
}

/** Megabytes (10^6 bytes) of a process: resident now, and at most so far. */
export async function memoryOf(pid: number): Promise<{ rss_mb: number; peak_rss_mb: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const field = (name: string): number =>
    (Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1024) / 1e6;
  return { rss_mb: field('VmRSS'), peak_rss_mb: field('VmHWM') };
}
