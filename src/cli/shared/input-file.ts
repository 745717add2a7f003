import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { messageOf, OperatorError } from '../../base/errors.js';
import type { CommandContext } from './context.js';

/** What a command that takes a file says of `-`. */
export const OR_STDIN = 'or - for standard input';

/**
 * Gives the name of a file to read: this one; for `-`, one that holds what comes on standard input, since a file is
 * counted first, and may be read more than once.
 */
export async function withInputFile<T>(
  file: string,
  { stdin }: CommandContext,
  work: (file: string) => Promise<T>,
): Promise<T> {
  if (file !== '-') return work(file);
  const folder = await mkdtemp(join(tmpdir(), 'pathmend-'));
  const kept = join(folder, 'stdin');
  try {
    await pipeline(stdin, createWriteStream(kept, { mode: 0o600 })).catch((error: unknown) => {
      const why = messageOf(error);
      const message = `Standard input cannot be kept in ${tmpdir()} (${why}): name a folder with room as TMPDIR.`;
      throw new OperatorError(message, { cause: error });
    });
    return await work(kept);
  } catch (error) {
    if (!(error instanceof OperatorError) || !error.message.includes(kept)) throw error;
    throw new OperatorError(error.message.replaceAll(kept, 'stdin'), { cause: error, exitCode: error.exitCode });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
