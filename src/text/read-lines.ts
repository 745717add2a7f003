import { createReadStream } from 'node:fs';

/**
 * Reads the lines of a UTF-8 file, or of a text in pieces. Only \n and \r\n end a line. Node's readline also splits at
 * U+2028 and U+2029 (seen on Node 24), which JSON strings may contain unescaped: it split one page into two lines.
 */
export async function* readLines(file: string | AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  const chunks = typeof file === 'string' ? (createReadStream(file, 'utf8') as AsyncIterable<string>) : file;
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf('\n'); at !== -1; at = chunk.indexOf('\n', from)) {
      yield dropReturn(rest + chunk.slice(from, at));
      rest = '';
      from = at + 1;
    }
    rest += chunk.slice(from);
  }
  if (rest !== '') yield dropReturn(rest);
}

function dropReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
