import { expect } from 'chai';
import { measure, reliabilityOf, type Outcome } from '../../../scripts/eval/measures.js';
import { adviseThreshold, thresholdCurve, wilsonLower } from '../../../scripts/eval/report/threshold.js';

function outcomes(...groups: [n: number, score: number, right: number][]): Outcome[] {
  return groups.flatMap(([n, score, right]) => Array.from({ length: n }, (_, i) => ({ score, right: i < right })));
}

describe('eval: measures', () => {
  it('counts the first right answer by its rank, and precision only among what is answered', () => {
    const cases = ['/a', '/b', '/c', '/d'].map((path) => ({ input: path, right: [path], kind: '' }));
    const answers = [
      [{ url: '/a', score: 0.9 }],
      [
        { url: '/x', score: 0.8 },
        { url: '/b', score: 0.5 },
      ],
      [{ url: '/c', score: 0.2 }],
      [],
    ];
    expect(measure(cases, answers, 0.7)).to.deep.equal({
      n: 4,
      recall1: 0.5,
      recall3: 0.75,
      mrr: 0.625,
      answered: 0.5,
      precision1: 0.5,
    });
  });

  it('has no calibration error when each score is right as often as it says', () => {
    expect(reliabilityOf(outcomes([10, 0.7, 7], [4, 0.25, 1])).ece).to.be.closeTo(0, 1e-12);
  });

  it('weighs the distance between score and share right by the cases of each tenth', () => {
    // Thirty at 0.9, half of them right: 0.4 beside it; ten at 0.5, all right: 0.5 beside it.
    const { ece, n, bins } = reliabilityOf(outcomes([30, 0.9, 15], [10, 0.5, 10]));
    expect(ece).to.be.closeTo((30 * 0.4 + 10 * 0.5) / 40, 1e-12);
    expect(n).to.equal(40);
    expect(bins).to.have.length(10);
    expect(bins[9]).to.deep.include({ n: 30, right: 0.5 });
  });

  it('puts a score of 1 into the last tenth, and leaves out cases without an answer', () => {
    const { n, bins } = reliabilityOf(outcomes([2, 1, 2], [5, 0, 0]));
    expect(n).to.equal(2);
    expect(bins[9]?.n).to.equal(2);
    expect(reliabilityOf([]).ece).to.equal(0);
  });
});

describe('eval: the threshold that suits a site', () => {
  it('knows the lower end of the score interval', () => {
    // From Wilson's formula by hand: 8 of 10.
    expect(wilsonLower(8, 10)).to.be.closeTo(0.4902, 0.0001);
    expect(wilsonLower(0, 10)).to.equal(0);
    expect(wilsonLower(10, 10)).to.be.closeTo(0.7225, 0.0001);
    expect(wilsonLower(0, 0)).to.equal(0);
  });

  it('is the lowest one whose answers are right as often as is aimed at', () => {
    const curve = thresholdCurve(outcomes([100, 0.4, 20], [100, 0.65, 80], [300, 0.9, 290]));
    expect(curve[0]?.threshold).to.equal(0.3);
    expect(curve.at(-1)?.threshold).to.equal(0.99);
    const advice = adviseThreshold(curve, 0.8);
    expect(advice.verdict).to.equal('sure');
    expect(advice.point).to.deep.include({ threshold: 0.41, answered: 400, right: 370 });
    expect(adviseThreshold(curve, 0.95).point?.threshold).to.equal(0.66);
  });

  it('says that it is only likely while the interval reaches below the aim', () => {
    expect(adviseThreshold(thresholdCurve(outcomes([40, 0.9, 33])), 0.8).verdict).to.equal('likely');
  });

  it('says that there is too little data when few cases are answered', () => {
    expect(adviseThreshold(thresholdCurve(outcomes([29, 0.9, 29])), 0.8).verdict).to.equal('too little');
    expect(adviseThreshold(thresholdCurve(outcomes([200, 0.5, 20], [29, 0.9, 29])), 0.8).verdict).to.equal(
      'too little',
    );
    expect(adviseThreshold(thresholdCurve([]), 0.8)).to.deep.equal({ verdict: 'too little', point: undefined });
  });

  it('says that no threshold reaches the aim, and which comes nearest', () => {
    const advice = adviseThreshold(thresholdCurve(outcomes([100, 0.4, 20], [100, 0.9, 60])), 0.8);
    expect(advice.verdict).to.equal('never');
    expect(advice.point).to.deep.include({ threshold: 0.41, precision: 0.6 });
  });
});
