import { createReadStream } from 'node:fs';
import { decodeLines, dropReturn, type NotText } from './decode-text.js';

/**
 * Reads the lines of a file. Only \n and \r\n end a line. Node's readline also splits at U+2028 and U+2029 (seen
 * on Node 24), which JSON strings may contain unescaped: it split one page into two lines.
 */
export function readLines(file: string): AsyncGenerator<string | NotText> {
  return decodeLines(createReadStream(file) as AsyncIterable<Buffer>);
}

/** Yields the lines of a text that comes in chunks. A line that is longer than `max` characters is cut. */
export async function* splitLines(chunks: AsyncIterable<string>, max = Infinity): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf('\n'); at !== -1; at = chunk.indexOf('\n', from)) {
      yield dropReturn(rest + chunk.slice(from, at));
      rest = '';
      from = at + 1;
    }
    if (rest.length <= max) rest += chunk.slice(from);
  }
  if (rest !== '') yield dropReturn(rest);
}
