import { expect } from 'chai';
import { areNumbers, scoreText } from '#src/console/shared/numbers.js';

describe('numbers of the console', () => {
  it('are aligned as a column only where nothing else stands in it', () => {
    for (const column of [
      ['1', '1,234.5', '–'],
      ['39%', 'none'],
      ['0.83', 'under 0.01', ''],
    ])
      expect(areNumbers(column), column.join(' ')).to.equal(true);
    for (const column of [[], ['–'], ['2026-11-28'], ['1', '10 and below'], ['/404'], ['0.9–1.0']])
      expect(areNumbers(column), column.join(' ')).to.equal(false);
  });

  it('never round a score up to a threshold that it missed, and call none of a page nothing', () => {
    expect(scoreText(0.8999)).to.equal('0.89');
    expect(scoreText(0.29)).to.equal('0.29');
    expect(scoreText(0.004)).to.equal('under 0.01');
  });
});
