import { rmSync, statfsSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';

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
