import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { readLines } from '#src/text/read-lines.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

describe('the lines of a file', () => {
  const folder = temporaryFolder();

  async function read(text: string | Buffer): Promise<string[]> {
    const file = join(folder, 'lines');
    await writeFile(file, text);
    const lines: string[] = [];
    for await (const line of readLines(file))
      lines.push(typeof line === 'string' ? line : (line.message.split(';')[0] ?? ''));
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

  it('are read by the mark of UTF-16 or UTF-8 that the file begins with', async () => {
    const text = '/büro /b\r\n/二 /c\n';
    const swapped = Buffer.from(`\uFEFF${text}`, 'utf16le').swap16();
    for (const bytes of [Buffer.from(`\uFEFF${text}`, 'utf16le'), swapped, Buffer.from(text)])
      expect(await read(bytes)).to.deep.equal(['/büro /b', '/二 /c']);
    const half = Buffer.from([0xff, 0xfe, 0x41, 0x00, 0x00, 0xd8, 0x41, 0x00]);
    expect(await read(half).catch((error: unknown) => String(error))).to.include('not UTF-16');
  });

  it('that are not UTF-8 are named with byte, offset and line, wherever reads of the file cut it', async () => {
    for (const before of [0, 65_530, 65_533, 200_000]) {
      const bytes = Buffer.concat([
        Buffer.from(`${'x'.repeat(before)}\nä\n/b`),
        Buffer.from([0xfc]),
        Buffer.from('ro\n/c'),
      ]);
      const lines = await read(bytes);
      expect(lines.slice(1)).to.deep.equal(['ä', `not UTF-8: byte 0xFC at offset ${before + 6} (line 3)`, '/c']);
    }
  });

  it('are whole where reads of the file cut them, characters and \\r\\n too', async () => {
    // A read brings 64 KiB.
    for (const length of [65_533, 65_534, 65_535, 65_536, 200_000]) {
      const long = 'é'.repeat(length / 2);
      expect(await read(`${long}\r\n€${long}\n`)).to.deep.equal([long, `€${long}`]);
    }
  });
});
