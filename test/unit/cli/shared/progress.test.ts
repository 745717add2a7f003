import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { startProgress } from '#src/cli/shared/progress.js';

describe('the progress of a command', () => {
  function watch(isTTY: boolean, work: (stream: PassThrough) => void): string {
    const stream = Object.assign(new PassThrough(), {
      isTTY,
      cursorTo: () => true,
      clearLine: () => true,
      moveCursor: () => true,
    });
    let text = '';
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    work(stream);
    stream.read();
    return text;
  }

  function count(stream: PassThrough): void {
    const progress = startProgress(stream, 'Importing', 3);
    for (let done = 1; done <= 3; done++) progress.update(done);
    progress.end();
  }

  it('is a bar that grows on a terminal', () => {
    const text = watch(true, count);
    expect(text).to.contain('0/3').and.to.contain('3/3').and.to.contain('█');
  });

  it('is one line at the end on anything else, without control characters', () => {
    const text = watch(false, count);
    expect(text).to.match(/^Importing 3\/3 in \d+\.\d s\n$/);
  });
});
