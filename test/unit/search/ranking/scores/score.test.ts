import { expect } from 'chai';
import type { JsonObject } from '#src/base/glossary.js';
import { explainAmong, partsOf } from '#src/search/ranking/scores/explanation.js';
import { parseCalibration, UNCALIBRATED } from '#src/search/ranking/scores/calibration.js';
import type { CertaintyFacts } from '#src/search/ranking/evidence/certainty-facts.js';
import {
  readCurve,
  redirectValue,
  scoreByChoice as scoreWithFacts,
  scoreQuestion,
  sharesOf,
} from '#src/search/ranking/scores/score.js';

const curve = UNCALIBRATED.suggest.score;
const NO_FACTS = Object.fromEntries(Object.keys(curve.facts).map((name) => [name, 0])) as unknown as CertaintyFacts;
const scoreByChoice = (of: typeof curve, values: readonly number[]): number[] =>
  scoreWithFacts(of, values, () => NO_FACTS);

describe('scores', () => {
  it('share out certainty: a page that stands alone scores above two as good', () => {
    const [alone = 0] = scoreByChoice(curve, [18, 10]);
    const [first = 0, second = 0] = scoreByChoice(curve, [18, 18]);
    expect(first).to.equal(second);
    expect(alone).to.be.above(first);
  });

  it('give no score to little evidence, even where no other page competes', () => {
    expect(scoreByChoice(curve, [4])[0]).to.be.below(0.1);
    expect(scoreByChoice(curve, [])).to.deep.equal([]);
  });

  it('grow with evidence, stay in order and within 0 and 1', () => {
    for (const values of [
      [1, 2, 3],
      [30, 29, 5],
      [1e6, 3],
      [-1e6, 0],
    ]) {
      const scores = scoreByChoice(curve, values);
      values.forEach((value, i) => {
        expect(scores[i]).to.be.within(0, 1);
        values.forEach((other, j) => {
          if (value > other) expect(scores[i]).to.be.at.least(scores[j] ?? 0);
        });
      });
    }
  });

  it('fall where another page of the same folder is meant, and rise where a slip explains the difference', () => {
    const withFact = (fact: Partial<CertaintyFacts>): number =>
      scoreWithFacts(curve, [18], () => ({ ...NO_FACTS, ...fact }))[0] ?? 0;
    expect(withFact({ otherInFolder: 1 }))
      .to.be.below(0.7)
      .and.below(withFact({}) - 0.3);
    expect(withFact({ otherInFolder: 1, isSlip: 1 })).to.be.above(0.7);
  });

  it('let no page be surer than a better one, whatever its facts say', () => {
    const facts = [{ ...NO_FACTS, isAncestor: 1 }, NO_FACTS];
    const [best = 0, second = 0] = scoreWithFacts(curve, [18, 17.9], (at) => facts[at] ?? NO_FACTS);
    expect(second).to.equal(best);
  });

  it('are those of the points, and grow between and beyond them', () => {
    const { points } = curve;
    for (const { z, score } of points) expect(readCurve(points, z)).to.be.closeTo(score, 1e-9);
    const all = Array.from({ length: 400 }, (_, i) => readCurve(points, i / 20 - 10));
    all.forEach((score, i) => {
      expect(score)
        .to.be.within(0, 1)
        .and.above(all[i - 1] ?? 0);
    });
  });

  it('have shares that add up to 1 with that of none of them', () => {
    const shares = sharesOf([12, 11, 3], 10);
    const none = sharesOf([12, 11, 3, 10], -Infinity)[3] ?? 0;
    expect(shares.reduce((a, b) => a + b, none)).to.be.closeTo(1, 1e-9);
  });

  it('of questions say how far a page stands out, and whether the site speaks of such things', () => {
    const content = UNCALIBRATED.query.score;
    const otherScores = [8, 8, 8, 8, 8];
    const page = { dense: 0.6, lexical: 0.4 };
    const [alone = 0, other = 0] = scoreQuestion(content, [13, ...otherScores], page);
    const [first = 0, second = 0] = scoreQuestion(content, [13, 12.8, ...otherScores], page);
    expect(second).to.be.below(first);
    expect(first).to.be.below(alone);
    // The same text under another url is no rival.
    expect(scoreQuestion(content, [13, 13, ...otherScores], page)[0]).to.be.closeTo(alone, 0.01);
    expect(alone).to.be.above(0.7);
    expect(other).to.be.below(0.5);
    expect(scoreQuestion(content, [13, ...otherScores], { ...page, dense: 0.1 })[0]).to.be.below(alone);
    // The only page of a site is no answer for that.
    expect(scoreQuestion(content, [1], { dense: 0.2, lexical: 0.2 })[0]).to.be.below(0.1);
  });

  it('take a move for more the surer it is', () => {
    expect(redirectValue(0)).to.equal(0);
    expect(redirectValue(0.95)).to.be.above(redirectValue(0.8)).and.above(4);
    expect(redirectValue(1)).to.be.below(20);
  });

  it('fall back on the uncalibrated weights where a manifest lacks one', () => {
    expect(parseCalibration(null)).to.equal(UNCALIBRATED);
    expect(parseCalibration({ suggest: { rank: { words: 1 } } })).to.equal(UNCALIBRATED);
    const calibration = structuredClone(UNCALIBRATED);
    calibration.query.score.slope = 2;
    expect(parseCalibration(calibration as unknown as JsonObject).query.score.slope).to.equal(2);
  });
});

describe('explain', () => {
  const weights = { dense: 2, lexical: 1 };
  const explained = (...candidates: { dense: number; lexical: number }[]): Record<string, number>[] => {
    const evidenceOf = explainAmong(() => candidates.map((evidence) => partsOf(weights, evidence)));
    return candidates.map((_, at) => evidenceOf(at));
  };

  it('gives the share of each kind of evidence of a page that stands alone, largest first', () => {
    const [evidence = {}] = explained({ dense: 0.2, lexical: 0.6 });
    expect(evidence).to.deep.equal({ lexical: 0.6, dense: 0.4 });
    expect(Object.keys(evidence)).to.deep.equal(['lexical', 'dense']);
  });

  it('names what moved a page up among others, not what all of them have', () => {
    expect(explained({ dense: 0.9, lexical: 0.8 }, { dense: 0.9, lexical: 0.2 })).to.deep.equal([
      { lexical: 1 },
      // Below the mean of both, and nowhere above it.
      { dense: 0.9, lexical: 0.1 },
    ]);
    expect(explained({ dense: 0.6, lexical: 0.8 }, { dense: 0.4, lexical: 0.4 })[0]).to.deep.equal({
      dense: 0.5,
      lexical: 0.5,
    });
  });

  it('has none where nothing speaks for a page', () => {
    expect(explained({ dense: 0, lexical: 0 })).to.deep.equal([{}]);
  });
});
