import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { readLines } from '#src/text/read-lines.js';

describe('the lines of a file', () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pathmend-lines-'));
  });
  after(() => rm(folder, { recursive: true }));

  async function read(text: string): Promise<string[]> {
    const file = join(folder, 'lines');
    await writeFile(file, text);
    const lines: string[] = [];
    for await (const line of readLines(file)) lines.push(line);
    return lines;
  }

  it('end at \\n and \\r\\n, the last one at the end of the file too', async () => {
    expect(await read('one\ntwo\r\n\nfour')).to.deep.equal(['one', 'two', '', 'four']);
    expect(await read('one\n')).to.deep.equal(['one']);
    expect(await read('')).to.deep.equal([]);
  });

  it('do not end at U+2028, U+2029 and other ends that a JSON text may hold', async () => {
    const line = JSON.stringify({ content: 'a\u2028b\u2029c\u0085d' });
    expect(line).to.contain('\u2028');
    expect(await read(`${line}\n${line}\n`)).to.deep.equal([line, line]);
  });

  it('are whole where reads of the file cut them, characters and \\r\\n too', async () => {
    // A read brings 64 KiB.
    for (const length of [65_533, 65_534, 65_535, 65_536, 200_000]) {
      const long = 'é'.repeat(length / 2);
      expect(await read(`${long}\r\n€${long}\n`)).to.deep.equal([long, `€${long}`]);
    }
  });
});
