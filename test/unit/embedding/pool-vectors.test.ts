import { expect } from 'chai';
import { poolVector } from '#src/embedding/pool-vectors.js';

// Two tokens of two dimensions; what comes behind them must not count.
const state = Float32Array.from([1, -2, 3, 4, 100, 100]);
const pool = (kind: 'mean' | 'cls' | 'max', normalize = false) => [...poolVector(state, 2, 2, kind, normalize)];

describe('pooling', () => {
  it('averages the tokens', () => {
    expect(pool('mean')).to.deep.equal([2, 1]);
  });

  it('takes the first token for cls', () => {
    expect(pool('cls')).to.deep.equal([1, -2]);
  });

  it('takes the largest of each dimension for max', () => {
    expect(pool('max')).to.deep.equal([3, 4]);
  });

  it('normalizes to unit length', () => {
    expect(pool('max', true)[1]).to.be.closeTo(0.8, 1e-6);
    expect([...poolVector(Float32Array.from([0, 5]), 1, 2, 'mean', true)]).to.deep.equal([0, 1]);
  });

  it('leaves a vector without length at zeros instead of NaN', () => {
    for (const kind of ['mean', 'cls', 'max'] as const) {
      expect([...poolVector(new Float32Array(2), 1, 2, kind, true)]).to.deep.equal([0, 0]);
      expect([...poolVector(Float32Array.from([7, 7]), 0, 2, kind, true)]).to.deep.equal([0, 0]);
    }
  });
});
