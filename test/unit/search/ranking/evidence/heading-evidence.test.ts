import { expect } from 'chai';
import {
  prepareQuestion,
  type HeadingEvidence,
  createHeadingReader,
} from '#src/search/ranking/evidence/heading-evidence.js';

const NOTHING = { headingCover: 0, bestHeading: 0 };

function compare(question: string, ...lines: string[]): HeadingEvidence[] {
  return compareBy(createHeadingReader(), question, ...lines);
}

function compareBy(
  read: ReturnType<typeof createHeadingReader>,
  question: string,
  ...lines: string[]
): HeadingEvidence[] {
  const pages = lines.map((line) => {
    const [heading = '', ...headings] = line.split('|');
    return { heading, headings: headings.join('\n') };
  });
  return pages.map(prepareQuestion(question, (word) => (['how', 'do', 'the'].includes(word) ? 0.1 : 1), read));
}

describe('the evidence of headings', () => {
  const question = 'How do I clean the steam wands?';

  it('is high for a first line that the question names, in any form of its words', () => {
    const [named, other] = compare(question, 'Cleaning the steam wand', 'Descaling the boiler') as [
      HeadingEvidence,
      HeadingEvidence,
    ];
    expect(named.headingCover).to.equal(1);
    // Both have "the".
    expect(other.headingCover).to.be.below(0.4);
    expect(named.bestHeading).to.be.above(other.bestHeading);
  });

  it('is 1 for the question itself, and 0 without words on either side', () => {
    expect(compare('Steam wand', 'steam  WAND')).to.deep.equal([{ headingCover: 1, bestHeading: 1 }]);
    expect(compare(question, '…')).to.deep.equal([NOTHING]);
    expect(compare('?', 'Steam wand|boiler')).to.deep.equal([NOTHING]);
    expect(compare(question)).to.deep.equal([]);
  });

  it('finds the heading further down that the question names', () => {
    const [deep, shallow] = compare(question, 'Machines|boiler\nclean steam wand', 'Machines|boiler') as [
      HeadingEvidence,
      HeadingEvidence,
    ];
    expect(deep.bestHeading).to.be.above(0.8);
    expect(shallow.bestHeading).to.equal(0);
    expect(deep.headingCover).to.equal(shallow.headingCover);
  });

  it('counts a word by its likeness to the words of the question', () => {
    const [like, unlike] = compare('create a forecaster', 'Forecasting', 'Weather') as [
      HeadingEvidence,
      HeadingEvidence,
    ];
    expect(like.headingCover).to.be.within(0.5, 0.95);
    expect(unlike.headingCover).to.equal(0);
  });

  it('says the same of a line that was read for another question', () => {
    const read = createHeadingReader();
    const lines = ['Cleaning the steam wand', 'Clean wands and steam, steamed and cleaned', 'wand '.repeat(100)];
    compareBy(read, 'wash a wand', ...lines);
    expect(compareBy(read, question, ...lines)).to.deep.equal(compare(question, ...lines));
    expect(read(lines[0] ?? '')).to.equal(read(lines[0] ?? ''));
  });

  it('compares the characters of scripts without spaces', () => {
    expect(compare('使用说明', '使用说明')[0]?.headingCover).to.equal(1);
    expect(compare('使用说明', '联系我们')[0]?.headingCover).to.equal(0);
  });
});
