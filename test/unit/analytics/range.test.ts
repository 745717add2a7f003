import { expect } from 'chai';
import { readRange, type Range } from '#src/analytics/range.js';

const NOW = Date.parse('2026-11-25T10:00:00Z');
const read = (query: string, kept = 400): Range => readRange(new URLSearchParams(query), NOW, kept);
const refusal = (query: string): string => {
  try {
    read(query);
    return 'none';
  } catch (error) {
    return `${String((error as { param?: string }).param)}: ${(error as Error).message}`;
  }
};

describe('the days of a report', () => {
  it('are the last thirty with today unless others are named', () => {
    expect(read('')).to.include({ from: '2026-10-27', to: '2026-11-25', today: '2026-11-25', whole: 29 });
    expect(read('days=7')).to.include({ from: '2026-11-19', to: '2026-11-25' });
    expect(read('to=2026-11-03&days=3')).to.include({ from: '2026-11-01', to: '2026-11-03' });
  });

  it('go from the first to the last, and are compared with as many before', () => {
    const range = read('from=2026-02-27&to=2026-03-02');
    expect(range.days).to.deep.equal(['2026-02-27', '2026-02-28', '2026-03-01', '2026-03-02']);
    expect(range.before).to.deep.equal({ from: '2026-02-23', to: '2026-02-26' });
    expect(range).to.include({ whole: 4, today: undefined });
    expect(range.about).to.equal('4 days, all whole. Compared with 2026-02-23 to 2026-02-26.');
  });

  it('are whole if they are over and kept: whole weeks are dropped', () => {
    // Thirty days ago is Monday 26 October; 31 days ago is the Sunday before, whose week is kept, too.
    expect(read('from=2026-10-20&to=2026-11-01', 30)).to.include({ whole: 7 });
    expect(read('from=2026-10-20&to=2026-11-01', 31)).to.include({ whole: 13 });
    expect(read('from=2026-10-20&to=2026-11-25', 30).about).to.equal(
      '37 days, 30 of them whole: today is not over, and events before 2026-10-26 are not kept. Compared with 2026-09-13 to 2026-10-19.',
    );
    expect(read('days=30', 30).about).to.include('of the days before, those before 2026-10-26 are not kept');
  });

  it('that cannot be are refused by the name of their field', () => {
    const DAY = 'must be a day such as 2026-11-24.';
    expect(refusal('from=yesterday')).to.equal(`from: from ${DAY}`);
    expect(refusal('to=2026-02-30')).to.equal(`to: to ${DAY}`);
    expect(refusal('to=2026-11-26')).to.equal('to: to must not be after today, 2026-11-25 (UTC).');
    expect(refusal('from=2026-11-25&to=2026-11-24')).to.equal('from: from must not be after to, 2026-11-24.');
    expect(refusal('from=2025-01-01')).to.equal('from: from and to must be at most 400 days apart.');
    for (const days of ['0', '401', 'x', '1.5', '__proto__'])
      expect(refusal(`days=${days}`)).to.equal('days: days must be a number from 1 to 400.');
  });
});
