import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { OperatorError } from '#src/base/errors.js';
import { NotText } from '#src/text/decode-text.js';
import { MAX_LINE_BYTES, readLogLines } from '#src/text/access-logs/log-lines.js';

async function collect<T>(all: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const element of all) collected.push(element);
  return collected;
}

/** The lines of these bytes, when they come in pieces of a size. */
async function linesOf(bytes: Buffer, size = bytes.length || 1): Promise<(string | NotText)[]> {
  function* pieces(): Generator<Buffer> {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  return collect(readLogLines(Readable.from(pieces())));
}

const TOO_LONG = `longer than ${MAX_LINE_BYTES} bytes`;

/** The lines, and the beginnings of the reasons. */
function shortenReasons(lines: readonly (string | NotText)[]): (string | undefined)[] {
  return lines.map((line) => (line instanceof NotText ? line.message.split(';')[0] : line));
}

describe('the lines of a log', () => {
  it('end with \\n or \\r\\n, the last one with nothing, in pieces of any size, packed or not', async () => {
    const text = Buffer.from('one\r\nzwölf\n\nfour\u2028same');
    for (const bytes of [
      text,
      gzipSync(text),
      Buffer.concat([gzipSync('one\r\nzwö'), gzipSync('lf\n\nfour\u2028same')]),
    ])
      for (const size of [1, 2, 3, 7, 1_000])
        expect(await linesOf(bytes, size)).to.deep.equal(['one', 'zwölf', '', 'four\u2028same']);
    expect(await linesOf(Buffer.alloc(0))).to.deep.equal([]);
    expect(await linesOf(gzipSync(''))).to.deep.equal([]);
    expect(await linesOf(Buffer.from([0x1f]))).to.deep.equal(['\x1f']);
  });

  it('are left out when they are longer than 64 KiB, and the next are read', async () => {
    const longest = 'a'.repeat(MAX_LINE_BYTES);
    const text = `${longest}\n${'b'.repeat(1_000_000)}\n${longest}c\nnext\n${'d'.repeat(1_000_000)}`;
    for (const bytes of [Buffer.from(text), gzipSync(text)])
      for (const size of [1_000, 65_536, 5_000_000])
        expect(shortenReasons(await linesOf(bytes, size))).to.deep.equal([
          longest,
          TOO_LONG,
          TOO_LONG,
          'next',
          TOO_LONG,
        ]);
  });

  it('that are not UTF-8 are left out by name, and the others are read', async () => {
    const bytes = Buffer.from('/a\n/b\xE9\n/c\n\xFF', 'latin1');
    for (const size of [1, 2, 100]) {
      const lines = await linesOf(bytes, size);
      expect(shortenReasons(lines)).to.deep.equal([
        '/a',
        'not UTF-8: byte 0xE9 at offset 5 (line 2)',
        '/c',
        'not UTF-8: byte 0xFF at offset 10 (line 4)',
      ]);
    }
  });

  it('in UTF-16, which their first bytes tell, are read', async () => {
    expect(await linesOf(Buffer.from('\uFEFF/ä\r\n/b', 'utf16le'), 3)).to.deep.equal(['/ä', '/b']);
  });

  it('are not held in memory: a line of 200 MB takes less than a tenth of that', async () => {
    const piece = Buffer.alloc(1_000_000, 'a');
    function* pieces(): Generator<Buffer> {
      for (let i = 0; i < 200; i++) {
        yield piece;
        grown = Math.max(grown, process.memoryUsage().rss - before);
      }
    }
    const before = process.memoryUsage().rss;
    let grown = 0;
    expect(shortenReasons(await collect(readLogLines(Readable.from(pieces()))))).to.deep.equal([TOO_LONG]);
    expect(grown).to.be.below(20_000_000);
  });

  it('of packed data that is damaged or ends early are read up to there, then it is said', async () => {
    const packed = gzipSync(Array.from({ length: 50_000 }, (_, i) => `line ${i * 7919}\n`).join(''));
    const damaged = Buffer.from(packed);
    damaged.fill(0xff, packed.length / 2, packed.length / 2 + 100);
    for (const bytes of [packed.subarray(0, packed.length - 100), damaged]) {
      const read: (string | NotText)[] = [];
      let error: unknown;
      try {
        for await (const line of readLogLines(Readable.from([bytes]))) read.push(line);
      } catch (caught) {
        error = caught;
      }
      expect(error).to.be.instanceOf(OperatorError);
      expect(read.length).to.be.above(10_000);
    }
  });
});
