import { spawnSync } from 'node:child_process';

/** Whether a program of that name can be run here. */
export function isThere(program: string): boolean {
  return spawnSync(program, ['--help'], { stdio: 'ignore' }).error === undefined;
}
