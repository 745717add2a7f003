import { createReadStream } from 'node:fs';
import { messageOf, OperatorError } from '../../base/errors.js';
import { decodeChunks, NotText } from '../../text/decode-text.js';
import { gunzip } from '../../text/gunzip.js';

/**
 * Opens a file, or stdin for `-`, as text; unpacks gzip.
 * @param isLenient is true if bytes that are not UTF-8 become U+FFFD, and the caller refuses the line
 * @returns its name for messages, and its first characters
 * @throws OperatorError, also from `chunks`: unreadable, damaged, or not UTF-8
 */
export async function openText(file: string, stdin: NodeJS.ReadableStream, isLenient = false, stdinName = 'stdin') {
  const name = file === '-' ? stdinName : file;
  const bytes = (file === '-' ? stdin : createReadStream(file)) as AsyncIterable<Buffer>;
  const text = decode(name, gunzip(bytes), !isLenient);
  const first = await text.next();
  const start = first.done === true ? '' : first.value;
  return { name, start, chunks: withFirst(start, text) };
}

async function* withFirst(first: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield first;
  yield* rest;
}

async function* decode(name: string, bytes: AsyncIterable<Buffer>, fatal: boolean): AsyncGenerator<string> {
  try {
    yield* decodeChunks(bytes, fatal);
  } catch (error) {
    if (error instanceof NotText) throw new OperatorError(`${name} is ${error.message}`, { cause: error });
    throw new OperatorError(`${name} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}
