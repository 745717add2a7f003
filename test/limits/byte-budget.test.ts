import { expect } from 'chai';
import { ApiError } from '#src/errors.js';
import { ByteBudget } from '#src/limits/byte-budget.js';

describe('a budget of bytes', () => {
  it('refuses what finds no room beside what others hold, until they let go', () => {
    const budget = new ByteBudget(100);
    const [first, second] = [budget.hold(), budget.hold()];
    first.add(80);
    expect(() => { second.add(30); }).to.throw(ApiError).with.property('status', 503);
    second.add(20);
    first.release();
    second.add(80);
    expect(budget.stats()).to.deep.equal({ held: 100, refused: 1 });
    second.release();
    second.release();
    expect(budget.stats().held).to.equal(0);
  });

  it('lets in what is alone however large it is, and counts what is forced', () => {
    const budget = new ByteBudget(100);
    const [large, small] = [budget.hold(), budget.hold()];
    large.add(60);
    large.add(600);
    small.force(10);
    expect(budget.stats().held).to.equal(670);
    expect(() => { small.add(1); }).to.throw(ApiError);
  });
});
