import { constants, createReadStream } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { OperatorError } from '../errors.js';

/** Lines of a file that a command is to read, for its progress. @throws OperatorError when it cannot be read. */
export async function countLines(file: string): Promise<number> {
  const isFile = await access(file, constants.R_OK).then(
    async () => (await stat(file)).isFile(),
    () => false,
  );
  if (!isFile) throw new OperatorError(`${file} is not a file that can be read.`);
  let lines = 0;
  let last = 10;
  for await (const chunk of createReadStream(file)) {
    for (const byte of chunk as Buffer) if (byte === 10) lines++;
    last = (chunk as Buffer).at(-1) ?? last;
  }
  return last === 10 ? lines : lines + 1;
}

/** @throws OperatorError */
export function readLimit(text: string): number {
  const limit = Number(text);
  // Beyond these, PostgreSQL has no such limit, and would say so in its own words.
  if (!Number.isSafeInteger(limit) || limit < 1) throw new OperatorError('--limit must be a whole number from 1 on.');
  return limit;
}
