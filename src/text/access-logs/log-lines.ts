import { OperatorError } from '../../base/errors.js';
import { decodeLines, type NotText } from '../decode-text.js';
import { gunzip } from '../gunzip.js';

export const MAX_LINE_BYTES = 65_536;

/**
 * Yields the lines of a log, which may be packed by gzip. In place of a line that is not text, or has more than 64 KiB,
 * it yields the reason.
 * @throws OperatorError when the packed data is damaged or ends early
 */
export function readLogLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string | NotText> {
  return decodeLines(unpack(chunks), MAX_LINE_BYTES);
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
