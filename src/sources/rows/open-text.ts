import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { messageOf, OperatorError } from '../../base/errors.js';
import { decodeChunks, NotText } from '../../text/decode-text.js';

const GZIP = [0x1f, 0x8b];

export interface OpenText {
  /** As it is called in messages. */
  name: string;
  /** Its first characters. */
  start: string;
  chunks: AsyncIterable<string>;
}

/**
 * A file, or stdin for `-`, as text; unpacked if it is compressed with gzip.
 * @param isLenient bytes that are not UTF-8 become U+FFFD: who reads the lines leaves such a line out by name
 * @throws OperatorError, also while it is read: it cannot be read, is damaged, or is not UTF-8
 */
export async function openText(file: string, stdin: NodeJS.ReadableStream, isLenient = false): Promise<OpenText> {
  const name = file === '-' ? 'stdin' : file;
  const bytes = (file === '-' ? stdin : createReadStream(file)) as AsyncIterable<Buffer>;
  const text = decode(name, unpack(bytes), !isLenient);
  const first = await text.next();
  const start = first.done === true ? '' : first.value;
  return { name, start, chunks: withFirst(start, text) };
}

async function* withFirst<T>(first: T, rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield first;
  yield* rest;
}

async function* unpack(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const input = bytes[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (head.length < GZIP.length) {
    const next = await input.next();
    if (next.done === true) break;
    head = Buffer.concat([head, Buffer.from(next.value)]);
  }
  const whole = withFirst(head, { [Symbol.asyncIterator]: () => input });
  if (!GZIP.every((byte, at) => head[at] === byte)) {
    yield* whole;
    return;
  }
  const packed = Readable.from(whole);
  const unpacked = createGunzip();
  packed.on('error', (error) => unpacked.destroy(error));
  yield* packed.pipe(unpacked) as AsyncIterable<Buffer>;
}

async function* decode(name: string, bytes: AsyncIterable<Buffer>, fatal: boolean): AsyncGenerator<string> {
  try {
    yield* decodeChunks(bytes, fatal);
  } catch (error) {
    if (error instanceof NotText) throw new OperatorError(`${name} is ${error.message}`, { cause: error });
    throw new OperatorError(`${name} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}
