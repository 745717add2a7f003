import { expect } from 'chai';
import { SIGNATURE_BITS, trigramSignature } from '#src/text/words/likeness.js';

/** Jaccard of two signatures. */
function likeness(a: string, b: string): number {
  const [x, y] = [trigramSignature(a), trigramSignature(b)];
  let common = 0;
  let all = 0;
  for (let i = 0; i < SIGNATURE_BITS; i++) {
    common += Number(x[i] === '1' && y[i] === '1');
    all += Number(x[i] === '1' || y[i] === '1');
  }
  return all === 0 ? 0 : common / all;
}

describe('trigramSignature', () => {
  it('is as long as the column, whatever the words are', () => {
    for (const words of ['', 'a', 'return policy', '文档 指南', 'x'.repeat(5_000)])
      expect(trigramSignature(words)).to.match(/^[01]{512}$/);
  });

  it('is that of a set: the order of words does not count, nor does a word that comes twice', () => {
    expect(trigramSignature('return policy')).to.equal(trigramSignature('policy return return'));
  });

  it('tells a slip from another path', () => {
    expect(likeness('return policy', 'return policy')).to.equal(1);
    expect(likeness('return policy', 'retrun policy')).to.be.within(0.4, 0.9);
    expect(likeness('return policy', 'coffee grinders')).to.be.below(0.1);
    expect(likeness('', 'coffee')).to.equal(0);
  });

  it('keeps a long path far from full, so that it is not like every other', () => {
    const path = 'products machines espresso grinders burr conical fellside reference manual';
    expect([...trigramSignature(path)].filter((bit) => bit === '1').length).to.be.below(SIGNATURE_BITS / 4);
  });
});
