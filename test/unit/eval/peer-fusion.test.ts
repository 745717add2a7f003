import { expect } from 'chai';
import { anyTrigram, anyWord } from '../../../scripts/lab/bench/peers/engines/sqlite.js';
import { bestMixture, comparePaths, fuse, mixtures, rank } from '../../../scripts/lab/bench/peers/fusion.js';

const WORDS = ['repair squeaking brakes', 'repair flat tyre', 'shop opening hours'];

describe("bench: an engine's lists, put together", () => {
  const likeness = comparePaths(WORDS)('repair flat tire');
  const lists = {
    text: [
      { id: 2, value: 8 },
      { id: 1, value: 4 },
    ],
    path: [{ id: 1, value: 0.5 }],
    chunks: [
      { id: 0, value: 0.4 },
      { id: 1, value: 0.7 },
      { id: 1, value: 0.9 },
      { id: 0, value: 0.3 },
    ],
  };
  const candidates = fuse(lists, likeness);

  it('name each page once, with its best chunk, its share of the best text and the likeness of its path', () => {
    expect(candidates.map(({ id }) => id)).to.have.members([0, 1, 2]);
    const flat = candidates.find(({ id }) => id === 1);
    expect(flat).to.include({ text: 0.5, cosine: 0.9 });
    expect(flat?.path).to.be.greaterThan(0.6);
    expect(candidates.find(({ id }) => id === 2)).to.include({ text: 1, cosine: 0.4 });
  });

  it('are ranked by the weights', () => {
    const first = (path: number, text: number, cosine: number): number | undefined =>
      rank(candidates, { path, text, cosine }, 1)[0]?.id;
    expect(first(1, 0, 0)).to.equal(1);
    expect(first(0, 1, 0)).to.equal(2);
    expect(first(0.3, 0.1, 0.6)).to.equal(1);
  });

  it('get the weights that a measure likes best, which add up to one', () => {
    expect(bestMixture(({ text }) => -Math.abs(text - 0.35))).to.include({ path: 0, text: 0.35 });
    for (const { path, text, cosine } of mixtures()) expect(path + text + cosine).to.be.closeTo(1, 1e-9);
  });
});

describe('bench: what SQLite is asked', () => {
  it('is any rare word, or any word where none is rare, and no syntax of FTS5', () => {
    expect(anyWord('How do I repair a "flat" tyre? NOT *')).to.equal('"repair" OR "flat" OR "tyre"');
    expect(anyWord('what is this')).to.equal('"what" OR "is" OR "this"');
    expect(anyWord('/%%%')).to.equal('');
  });

  it('is any three characters that follow each other, each once', () => {
    expect(anyTrigram('flat-flat')).to.equal('"fla" OR "lat" OR "at " OR "t f" OR " fl"');
    expect(anyTrigram('ab')).to.equal('');
  });
});
