import { OperatorError } from '../../base/errors.js';
import { decodeUtf8, dropReturn, utf8Chunks, type NotText } from '../decode-text.js';
import { gunzip } from '../gunzip.js';

const NEWLINE = 10;

export const MAX_LINE_BYTES = 65_536;

/**
 * The lines of a log, which may be packed by gzip; undefined for a line of more than 64 KiB, which is never held as
 * a whole. Of a line that is not text, the reason.
 * @throws OperatorError when the packed data is damaged or ends early
 */
export async function* readLogLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string | NotText | undefined> {
  let rest: Buffer[] = [];
  let bytes = 0;
  let at = { offset: 0, line: 1 };
  const take = (end: Buffer): string | NotText | undefined => {
    const whole = rest.length === 0 ? end : Buffer.concat([...rest, end]);
    const length = bytes + end.length;
    const text = length > MAX_LINE_BYTES ? undefined : decodeUtf8(whole, at);
    at = { offset: at.offset + length + 1, line: at.line + 1 };
    rest = [];
    bytes = 0;
    return typeof text === 'string' ? dropReturn(text) : text;
  };
  for await (const chunk of utf8Chunks(unpack(chunks))) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      yield take(chunk.subarray(from, at));
      from = at + 1;
    }
    const end = chunk.subarray(from);
    bytes += end.length;
    if (bytes > MAX_LINE_BYTES) rest = [];
    else if (end.length > 0) rest.push(end);
  }
  if (bytes > 0) yield take(Buffer.alloc(0));
}

async function* unpack(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* gunzip(chunks);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))) throw error;
    throw new OperatorError(
      `The log cannot be unpacked any further (${error.message}). What was read before is stored.`,
      { cause: error },
    );
  }
}
