import { expect } from 'chai';
import { ApiError } from '#src/base/errors.js';
import { InFlightBytes } from '#src/platform/limits/in-flight-bytes.js';

describe('a budget of bytes', () => {
  it('refuses what finds no room beside what others hold, until they let go', () => {
    const budget = new InFlightBytes(100);
    const [first, second] = [budget.hold('one'), budget.hold('one')];
    first.add(70);
    expect(() => {
      second.add(10);
    })
      .to.throw(ApiError)
      .with.property('status', 503);
    second.add(5);
    first.release();
    second.add(70);
    expect(budget.stats()).to.deep.equal({ held: 75, refused: 1 });
    second.release();
    second.release();
    expect(budget.stats().held).to.equal(0);
  });

  it('leaves room for other projects, whatever one holds', () => {
    const budget = new InFlightBytes(100);
    const flood = Array.from({ length: 10 }, () => budget.hold('flood'));
    const refused = flood.filter((held) => {
      try {
        held.add(15);
        return false;
      } catch {
        return true;
      }
    });
    expect(refused).to.have.length(5);
    budget.hold('other').add(18);
    budget.hold('third').add(5);
    for (const held of flood) held.release();
    const next = budget.hold('other');
    next.add(53);
    expect(() => {
      next.add(1);
    }).to.throw(ApiError);
  });

  it('lets in what is alone however large it is, and counts what is forced', () => {
    const budget = new InFlightBytes(100);
    const [large, small] = [budget.hold('one'), budget.hold('two')];
    large.add(60);
    large.add(600);
    small.force(10);
    expect(budget.stats().held).to.equal(670);
    expect(() => {
      small.add(1);
    }).to.throw(ApiError);
  });
});
