import { expect } from 'chai';
import { Pace } from '#src/load/pace.js';

describe('the pace of what may be refused inside', () => {
  it('halves whenever some was refused since, never below one', () => {
    const pace = new Pace(32);
    expect([1, 2, 3, 4, 5, 6, 7].map((refusals) => pace.next(refusals))).to.deep.equal([16, 8, 4, 2, 1, 1, 1]);
  });

  it('grows by one while none is, to the most', () => {
    const pace = new Pace(4);
    pace.next(1);
    pace.next(5);
    expect([5, 5, 5, 5, 5].map((refusals) => pace.next(refusals))).to.deep.equal([2, 3, 4, 4, 4]);
  });
});
