import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { packageRoot } from '#src/base/package-root.js';

/** A machine without a network, as far as Linux can make one: nothing but loopback, and nothing of this repository. */
export interface EmptyNetwork {
  /** Runs what is put behind it in there, in the folder that it is started in. */
  within: string[];
  end(): Promise<void>;
}

export function emptyNetworkRefusal(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root can make it';
  const { status, stderr, error } = spawnSync('unshare', ['--net', '--mount', 'ip', 'link', 'set', 'lo', 'up'], {
    encoding: 'utf8',
  });
  return status === 0 ? undefined : (error?.message ?? stderr.trim()) || 'unshare is not permitted here';
}

/**
 * `/opt` is empty there, `/etc` a copy, and the repository hidden.
 *
 * @param etc an empty folder for the copy
 */
export async function createEmptyNetwork(etc: string): Promise<EmptyNetwork> {
  const lines = [
    'ip link set lo up',
    'mount -t tmpfs none /opt',
    'cp -a /etc/. "$1" && mount --bind "$1" /etc',
    'mount -t tmpfs none "$2"',
    'echo made; exec sleep infinity',
  ];
  const holder = spawn('unshare', ['--net', '--mount', 'bash', '-ec', lines.join('\n'), '-', etc, packageRoot()]);
  process.once('exit', () => holder.kill('SIGKILL'));
  let errorOutput = '';
  holder.stderr.on('data', (chunk: Buffer) => (errorOutput += chunk.toString()));
  await Promise.race([
    once(holder.stdout, 'data'),
    once(holder, 'close').then(() => Promise.reject(new Error(`no such network: ${errorOutput}`))),
  ]);
  return {
    within: ['nsenter', `--target=${holder.pid ?? 0}`, '--net', '--mount', '--wd=.', '--'],
    end: async () => {
      if (holder.exitCode !== null) return;
      const ended = once(holder, 'close');
      holder.kill('SIGKILL');
      await ended;
    },
  };
}
