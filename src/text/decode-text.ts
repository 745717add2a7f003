import { isUtf8 } from 'node:buffer';
import { OperatorError } from '../base/errors.js';
import { readHead } from './gunzip.js';

const NEWLINE = 10;

/**
 * This error reports bytes that are not text, with their place and a remedy in the message, or a line of too many
 * bytes. Decoding such bytes to U+FFFD would give paths that no visitor requests. decodeText returns the error;
 * decodeLines yields it in place of a line, and reads on; elsewhere it is thrown.
 */
export class NotText extends OperatorError {}

/** The place of bytes in their file: `offset` in bytes from 0, `line` from 1. */
interface Place {
  offset: number;
  line: number;
}

const START: Place = { offset: 0, line: 1 };

/** Decodes bytes by their byte order mark (UTF-8, UTF-16), else as UTF-8. NotText names the first wrong byte. */
export function decodeText(bytes: Buffer): string | NotText {
  const decoder = utf16Of(bytes);
  if (!decoder) return decodeUtf8(bytes, START, bytes[0] === 0xef);
  try {
    return decoder.decode(bytes);
  } catch (error) {
    return notUtf16(error);
  }
}

/** Returns the text without its byte order mark; undefined if the encoding is unknown or does not fit the bytes. */
export function decodeAs(bytes: Buffer, label: string): string | undefined {
  try {
    const decoder = new TextDecoder(label, { fatal: true });
    // Without `stream`, Node 20 reads windows-1252 as Latin-1: its quotes and dashes become control characters.
    return decoder.decode(bytes, { stream: true }) + decoder.decode();
  } catch {
    return undefined;
  }
}

/**
 * Yields the lines of a text. Only \n and \r\n end a line. In place of a line that is not UTF-8, or longer than
 * `maxBytes`, it yields the reason. A line that is too long is never held in memory as a whole.
 */
export async function* decodeLines(chunks: AsyncIterable<Buffer>, maxBytes = Infinity) {
  let rest: Buffer[] = [];
  let bytes = 0;
  let at = START;
  const take = (end: Buffer): string | NotText => {
    const length = bytes + end.length;
    const line =
      length > maxBytes ? undefined : decodeUtf8(rest.length === 0 ? end : Buffer.concat([...rest, end]), at);
    at = { offset: at.offset + length + 1, line: at.line + 1 };
    rest = [];
    bytes = 0;
    return typeof line === 'string' ? dropReturn(line) : (line ?? new NotText(`longer than ${maxBytes} bytes`));
  };
  for await (const chunk of utf8Chunks(chunks)) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      yield take(chunk.subarray(from, end));
      from = end + 1;
    }
    const end = chunk.subarray(from);
    bytes += end.length;
    if (bytes > maxBytes) rest = [];
    else if (end.length > 0) rest.push(end);
  }
  if (bytes > 0) yield take(Buffer.alloc(0));
}

/** Yields the characters of chunks; without `isStrict`, bytes that are not UTF-8 become U+FFFD. @throws NotText */
export async function* decodeChunks(chunks: AsyncIterable<Buffer>, isStrict = true): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0);
  let at = START;
  const take = (bytes: Buffer): string => {
    const text = isStrict ? decodeUtf8(bytes, at) : bytes.toString();
    if (typeof text !== 'string') throw text;
    at = { offset: at.offset + bytes.length, line: at.line + countNewlines(bytes) };
    return text;
  };
  for await (const chunk of utf8Chunks(chunks)) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const end = endOfCharacters(bytes);
    rest = bytes.subarray(end);
    if (end > 0) yield take(bytes.subarray(0, end));
  }
  yield take(rest);
}

/** Converts UTF-16, recognized by its mark, to UTF-8; passes other bytes on. @throws NotText */
async function* utf8Chunks(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const { head, all } = await readHead(chunks, 2);
  const decoder = utf16Of(head);
  if (!decoder) {
    yield* all;
    return;
  }
  const decode = (bytes?: Buffer): Buffer => {
    try {
      return Buffer.from(decoder.decode(bytes, { stream: bytes !== undefined }));
    } catch (error) {
      throw notUtf16(error);
    }
  };
  for await (const bytes of all) yield decode(bytes);
  yield decode();
}

function utf16Of(head: Buffer): InstanceType<typeof TextDecoder> | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return new TextDecoder('utf-16le', { fatal: true });
  return head[0] === 0xfe && head[1] === 0xff ? new TextDecoder('utf-16be', { fatal: true }) : undefined;
}

function notUtf16(cause: unknown): NotText {
  return new NotText('not UTF-16, as its first bytes say: half a character; save the file as UTF-8', { cause });
}

/** Decodes bytes of a file as UTF-8. `dropsMark`: whether to drop the byte order mark. */
function decodeUtf8(bytes: Buffer, { offset, line }: Place, dropsMark = false): string | NotText {
  if (isUtf8(bytes)) return dropsMark ? bytes.toString().replace(/^\uFEFF/, '') : bytes.toString();
  let at = 0;
  for (let length = lengthAt(bytes, at); length > 0; length = lengthAt(bytes, at)) at += length;
  const byte = (bytes[at] ?? 0).toString(16).toUpperCase().padStart(2, '0');
  return new NotText(
    `not UTF-8: byte 0x${byte} at offset ${offset + at} (line ${line + countNewlines(bytes.subarray(0, at))}); ` +
      'save the file as UTF-8, or convert it first, such as with `iconv -f WINDOWS-1252 -t UTF-8`',
  );
}

/** The length in bytes of the character that begins at `at`; 0 if no character begins there. */
function lengthAt(bytes: Buffer, at: number): number {
  const length = lengthOf(bytes[at] ?? 0xff);
  return at + length <= bytes.length && isUtf8(bytes.subarray(at, at + length)) ? length : 0;
}

/** The length in bytes of a character, by its first byte; 0 for a byte that begins no character. */
function lengthOf(byte: number): number {
  if (byte < 0x80) return 1;
  if (byte < 0xc2 || byte > 0xf4) return 0;
  return byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

/** The end of the last complete character; the rest continues in the next chunk. */
function endOfCharacters(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte >= 0xc0) return lengthOf(byte) > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

function countNewlines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count++;
  return count;
}

/** A line without the `\r` of `\r\n`. */
export function dropReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
