import { expect } from 'chai';
import { proposeThreshold, shareRightAbove } from '#src/search/ranking/scores/judged-share.js';

const judged = (score: number, right: number, wrong: number) => [
  ...Array.from({ length: right }, () => ({ score, isRight: true })),
  ...Array.from({ length: wrong }, () => ({ score, isRight: false })),
];

describe('the share of judged guesses that is right', () => {
  it('is counted above the threshold, with the interval of Wilson', () => {
    const { low, high, ...counted } = shareRightAbove([...judged(0.95, 38, 2), ...judged(0.9, 0, 5)], 0.9);
    expect(counted).to.deep.equal({ right: 38, of: 40 });
    // R gives the same by prop.test(38, 40, correct = FALSE).
    expect(low).to.be.closeTo(0.835, 0.0005);
    expect(high).to.be.closeTo(0.9862, 0.0005);
  });

  it('is anything where nothing is judged', () => {
    expect(shareRightAbove([], 0.9)).to.deep.equal({ right: 0, of: 0, low: 0, high: 1 });
  });

  it('proposes the lowest threshold above which nine of ten are right for sure', () => {
    const all = [...judged(0.75, 2, 8), ...judged(0.85, 10, 0), ...judged(0.97, 40, 0)];
    expect(proposeThreshold(all)).to.equal(0.75);
    expect(proposeThreshold([...all, ...judged(0.86, 0, 6)])).to.equal(0.86);
    // Scores that nobody judged are not known.
    expect(proposeThreshold(judged(0.97, 40, 0))).to.equal(0.96);
  });

  it('proposes none of too few, nor where too many are wrong', () => {
    expect(proposeThreshold(judged(0.99, 19, 0))).to.equal(undefined);
    expect(proposeThreshold(judged(0.99, 34, 0))).to.equal(undefined);
    expect(proposeThreshold(judged(0.99, 35, 0))).to.equal(0.98);
    expect(proposeThreshold(judged(0.99, 80, 20))).to.equal(undefined);
  });
});
