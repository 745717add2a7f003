import { execFile } from 'node:child_process';
import { rmSync, statfsSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '#src/base/package-root.js';

const CHUNK = Buffer.alloc(2 ** 20, 1);

/** Leaves so many bytes on a file system, until it is removed. Others may write meanwhile. */
export async function fillDisk(folder: string, leave: number): Promise<{ remove: () => void }> {
  const path = join(folder, 'ballast');
  await rm(path, { force: true });
  const file = await open(path, 'w');
  try {
    for (let left = free(folder) - leave; left > 0; left = free(folder) - leave)
      await file.write(CHUNK, 0, Math.min(left, CHUNK.length));
  } catch (error) {
    // Somebody else took the last of it.
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  } finally {
    await file.close();
  }
  return {
    remove: () => {
      rmSync(path, { force: true });
    },
  };
}

function free(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

const ENDS_WITHIN_MS = 120_000;

/** A first start where there is no space at all: it must end, with words that name the disk and without a stack. */
export async function startOnFullDisk(disk: string): Promise<string[]> {
  await fillDisk(disk, 0);
  const environment: NodeJS.ProcessEnv = {
    ...process.env,
    DATA_DIR: join(disk, 'never-started'),
    PORT: '0',
    LOG_LEVEL: 'error',
  };
  delete environment['DATABASE_URL'];
  return new Promise((tell) => {
    const child = execFile(
      process.execPath,
      [join(packageRoot(), 'dist', 'cli.js'), 'serve'],
      { env: environment, timeout: ENDS_WITHIN_MS, killSignal: 'SIGKILL' },
      (_error, _stdout, stderr) => {
        const faults: string[] = [];
        if (child.exitCode !== 1)
          faults.push(`a start on a full disk ended with ${String(child.exitCode ?? child.signalCode)}`);
        if (!/no space left/i.test(stderr))
          faults.push(`a start on a full disk does not say why: ${stderr.slice(0, 500)}`);
        if (/^ {4}at /m.test(stderr)) faults.push(`a start on a full disk shows a stack: ${stderr.slice(0, 500)}`);
        tell(faults);
      },
    );
  });
}
