import { expect } from 'chai';
import { isSpike, median } from '#src/watch/detect.js';

const days = (count: number, hits: (day: number) => number): number[] =>
  Array.from({ length: count }, (_, i) => hits(i));

describe('a spike of 404s', () => {
  it('is an hour far above what is usual', () => {
    const quiet = days(28, (day) => day % 3);
    expect(isSpike(20, quiet, [0, 1, 2, 0])).to.equal(true);
    const busy = days(28, (day) => 1_000 + 10 * (day % 7));
    expect(isSpike(2_200, busy, [1_060, 1_060, 1_060, 1_060])).to.equal(true);
  });

  it('is none below twenty, or below twice the usual, whatever the deviation', () => {
    for (const [today, usual] of [
      [19, 0],
      [1_900, 1_000],
    ] as const) {
      const month = days(28, () => usual);
      expect(isSpike(today, month, [usual, usual, usual, usual]), `${today}`).to.equal(false);
    }
  });

  it('is none where the hours differ much anyway', () => {
    const wild = days(28, (day) => [2, 400, 90, 10][day % 4] ?? 0);
    expect(isSpike(250, wild, [400, 2, 90, 10])).to.equal(false);
  });

  it('is none when it comes every week', () => {
    const newsletter = days(28, (day) => ((day + 1) % 7 === 0 ? 500 : 5));
    expect(isSpike(520, newsletter, [500, 500, 500, 500])).to.equal(false);
    expect(isSpike(1_100, newsletter, [500, 500, 500, 500])).to.equal(true);
  });

  it('is seen again a week later: one incident does not make it usual', () => {
    const once = days(28, (day) => (day === 6 ? 500 : 5));
    expect(isSpike(500, once, [500, 5, 5, 5])).to.equal(true);
  });

  it('has medians: of an odd and an even number, and of none', () => {
    expect([median([3, 1, 2]), median([4, 1, 2, 3]), median([])]).to.deep.equal([2, 2.5, 0]);
  });
});
