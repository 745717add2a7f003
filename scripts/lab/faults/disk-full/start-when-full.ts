import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { packageRoot } from '#src/base/package-root.js';
import { fillDisk } from './ballast.js';

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
