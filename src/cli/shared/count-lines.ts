import { constants, createReadStream } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { OperatorError } from '../../base/errors.js';

const GZIP = Buffer.from([0x1f, 0x8b, 0x08]);

/** Number of lines of a file, for a progress bar. @throws OperatorError when the file cannot be read */
export async function countLines(file: string): Promise<number> {
  const isFile = await access(file, constants.R_OK).then(
    async () => (await stat(file)).isFile(),
    () => false,
  );
  if (!isFile) throw new OperatorError(`${file} is not a file that can be read.`);
  let lines = 0;
  let last = 10;
  for await (const chunk of createReadStream(file, { end: GZIP.length - 1 })) {
    if (GZIP.equals(chunk as Buffer)) throw new OperatorError(`${file} is compressed: unpack it first (gunzip).`);
  }
  for await (const chunk of createReadStream(file)) {
    for (const byte of chunk as Buffer) if (byte === 10) lines++;
    last = (chunk as Buffer).at(-1) ?? last;
  }
  return last === 10 ? lines : lines + 1;
}
