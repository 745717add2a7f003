import { expect } from 'chai';
import { poolVectors } from '#src/embedding/pool-vectors.js';

// Two texts of two dimensions; the second has one token and one of padding, whose state must not count.
const batch = {
  rows: 2,
  width: 2,
  ids: new BigInt64Array(4),
  mask: BigInt64Array.from([1n, 1n, 1n, 0n]),
};
const state = Float32Array.from([1, -2, 3, 4, 0, 5, 100, 100]);
const pool = (kind: 'mean' | 'cls' | 'max', normalize = false) =>
  poolVectors(state, batch, 2, kind, normalize).map((vector) => [...vector]);

describe('pooling', () => {
  it('averages the tokens, leaving out padding', () => {
    expect(pool('mean')).to.deep.equal([
      [2, 1],
      [0, 5],
    ]);
  });

  it('takes the first token for cls', () => {
    expect(pool('cls')).to.deep.equal([
      [1, -2],
      [0, 5],
    ]);
  });

  it('takes the largest of each dimension for max', () => {
    expect(pool('max')).to.deep.equal([
      [3, 4],
      [0, 5],
    ]);
  });

  it('normalizes to unit length', () => {
    expect(pool('max', true)[0]?.[1]).to.be.closeTo(0.8, 1e-6);
    expect(pool('mean', true)[1]).to.deep.equal([0, 1]);
  });

  it('leaves a vector without length at zeros instead of NaN', () => {
    for (const kind of ['mean', 'cls', 'max'] as const) {
      const one = { rows: 1, width: 1, ids: new BigInt64Array(1), mask: BigInt64Array.from([1n]) };
      expect([...(poolVectors(new Float32Array(2), one, 2, kind, true)[0] ?? [])]).to.deep.equal([0, 0]);
      const none = { ...one, mask: BigInt64Array.from([0n]) };
      expect([...(poolVectors(Float32Array.from([7, 7]), none, 2, kind, true)[0] ?? [])]).to.deep.equal([0, 0]);
    }
  });
});
