import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Load, LoadReport } from './generator.js';

const run = promisify(execFile);

/** Runs the load in a process of its own. */
export async function generateLoad(load: Load): Promise<LoadReport> {
  const running = run(process.execPath, [fileURLToPath(new URL('./generator.js', import.meta.url))], {
    maxBuffer: 1 << 26,
  });
  running.child.stdin?.end(JSON.stringify(load));
  return JSON.parse((await running).stdout) as LoadReport;
}
