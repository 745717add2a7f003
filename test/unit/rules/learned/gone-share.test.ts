import { expect } from 'chai';
import { estimateGoneShare, goneShift, type GoneEvidence } from '#src/rules/learned/gone-share.js';

const NONE: GoneEvidence = { gone: 0, accepted: 0, ignored: 0, shown: 0, redirected: 0, judgedRight: 0 };
const estimate = (evidence: Partial<GoneEvidence>): number | null => estimateGoneShare({ ...NONE, ...evidence });

describe('the share of missing paths that are gone', () => {
  it('is unknown below thirty decisions, however many were ignored or judged', () => {
    expect(estimate({})).to.equal(null);
    expect(estimate({ gone: 29, ignored: 500, judgedRight: 500 })).to.equal(null);
    expect(estimate({ gone: 20, accepted: 9 })).to.equal(null);
  });

  it('is drawn half way to a third by thirty decisions, and follows many', () => {
    expect(estimate({ gone: 30 })).to.be.closeTo((1 + 1 / 3) / 2, 1e-12);
    expect(estimate({ gone: 240, accepted: 60 })).to.be.closeTo((240 + 10) / 330, 1e-12);
    expect(estimate({ accepted: 300 })).to.be.closeTo(10 / 330, 1e-12);
  });

  it('counts the paths that guesses redirected as live, as many as there are for each path of the inbox', () => {
    const decided = { gone: 240, accepted: 60 };
    expect(estimate({ ...decided, shown: 1_000, redirected: 1_000 })).to.be.closeTo((120 + 10) / 330, 1e-12);
    expect(estimate({ ...decided, ignored: 100, shown: 1_000, redirected: 1_000 })).to.be.closeTo(
      ((300 * 240) / 700 + 10) / 330,
      1e-12,
    );
    // The 404s of decided paths may be kept no more: the inbox had at least those.
    expect(estimate({ ...decided, shown: 10, redirected: 300 })).to.equal(
      estimate({ ...decided, shown: 300, redirected: 300 }),
    );
  });

  it('counts guesses that were judged right as live, but not beside those that redirected', () => {
    const decided = { gone: 240, accepted: 60, shown: 1_000 };
    expect(estimate({ ...decided, judgedRight: 100 })).to.be.closeTo((180 + 10) / 330, 1e-12);
    expect(estimate({ ...decided, judgedRight: 100, redirected: 1_000 })).to.equal(
      estimate({ ...decided, redirected: 1_000 }),
    );
  });
});

describe('the shift of how sure pages are', () => {
  it('is the logarithm of the ratio of odds where more paths are gone than usual', () => {
    expect(goneShift(0.6)).to.be.closeTo(Math.log(0.4 / 0.6 / 2), 1e-12);
    expect(goneShift(0.8)).to.be.closeTo(Math.log(0.2 / 0.8 / 2), 1e-12);
  });

  it('never makes a page surer', () => {
    for (const share of [undefined, null, 1 / 3, 0.3, 0.1, 0.001]) expect(goneShift(share)).to.equal(0);
  });
});
