import { createReadStream } from 'node:fs';

/**
 * The lines of a file in UTF-8, ended by \n or \r\n and by nothing else. Node's readline also ends them at U+2028 and
 * U+2029 (seen on Node 24), which stand in JSON texts as they are: it made two lines of one page.
 */
export async function* linesOf(file: string): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of createReadStream(file, 'utf8') as AsyncIterable<string>) {
    let from = 0;
    for (let at = chunk.indexOf('\n'); at !== -1; at = chunk.indexOf('\n', from)) {
      yield withoutReturn(rest + chunk.slice(from, at));
      rest = '';
      from = at + 1;
    }
    rest += chunk.slice(from);
  }
  if (rest !== '') yield withoutReturn(rest);
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
