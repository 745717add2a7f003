import { expect } from 'chai';
import { readHeadings } from '#src/text/words/split-words.js';

describe('the headings of a content', () => {
  it('are its short lines between blank ones, and those with hashes, but not the first line', () => {
    const content = [
      'Espresso machines',
      '',
      'They make coffee under pressure.',
      '',
      'Cleaning the steam wands',
      '',
      'Wipe it with a cloth\nafter each use',
      '## Descaling',
      'Every three months.',
    ].join('\n');
    expect(readHeadings(content)).to.equal('clean the steam wand\ndescal');
  });

  it('leave out sentences, long lines and lines without words', () => {
    const long = 'word '.repeat(20).trim();
    expect(readHeadings(`Title\n\nIt is done.\n\nなぜですか？\n\n${long}\n\n---\n\nEnd`)).to.equal('end');
    expect(readHeadings('')).to.equal('');
    expect(readHeadings('Title')).to.equal('');
  });

  it('understand the line ends of Windows, and have a word once', () => {
    expect(readHeadings('Title\r\n\r\nStep by step\r\n\r\nText of it, at length.\r\n')).to.equal('step by');
  });

  it('are at most 80', () => {
    const content = Array.from({ length: 200_000 }, (_, i) => `part ${i + 10}`).join('\n\n');
    expect(readHeadings(content).split('\n')).to.have.length(80);
  });
});
