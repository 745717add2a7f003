import { createWriteStream, constants, createReadStream } from 'node:fs';
import { mkdtemp, rm, access, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { messageOf, OperatorError } from '../../base/errors.js';
import type { CommandContext } from './context.js';

/** The words with which a command that takes a file describes `-`. */
export const OR_STDIN = 'or - for standard input';

/** Runs work with a file's name; for `-`, a temporary file with the standard input: it may be read more than once. */
export async function withInputFile<T>(file: string, { stdin }: CommandContext, work: (file: string) => Promise<T>) {
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

const GZIP = Buffer.from([0x1f, 0x8b, 0x08]);

/** Counts the lines of a file, for a progress bar. @throws OperatorError when the file cannot be read */
export async function countLines(file: string): Promise<number> {
  const isFile = await access(file, constants.R_OK).then(
    async () => (await stat(file)).isFile(),
    () => false,
  );
  if (!isFile) throw new OperatorError(`${file} is not a file that can be read.`);
  let lines = 0;
  let last = 10;
  for await (const chunk of createReadStream(file, { end: GZIP.length - 1 }))
    if (GZIP.equals(chunk as Buffer)) throw new OperatorError(`${file} is compressed: unpack it first (gunzip).`);
  for await (const chunk of createReadStream(file)) {
    for (const byte of chunk as Buffer) if (byte === 10) lines++;
    last = (chunk as Buffer).at(-1) ?? last;
  }
  return last === 10 ? lines : lines + 1;
}
