import { expect } from 'chai';
import {
  SUGGEST_EVIDENCE,
  UNCALIBRATED,
  type SuggestEvidence,
  MIN_REDIRECTS,
} from '#src/search/ranking/scores/calibration.js';
import { finish } from '../../../../../scripts/model/fit.js';
import { fitOwn, type OwnCase, type OwnFit } from '#src/search/ranking/fit/cross-validate.js';

const MODEL = UNCALIBRATED.suggest;

function evidence(some: Partial<SuggestEvidence>): SuggestEvidence {
  const none = Object.fromEntries(SUGGEST_EVIDENCE.map((name) => [name, 0])) as unknown as SuggestEvidence;
  return { ...none, moved: 0, ...some };
}

/** A search with one right page and three wrong ones. */
function search(group: string, right: Partial<SuggestEvidence>, wrong: Partial<SuggestEvidence>): OwnCase {
  const others = [wrong, wrong, { words: 0.1 }];
  return {
    group,
    candidates: [
      ...others.map((one) => ({ evidence: evidence(one), right: false, base: 0 })),
      { evidence: evidence(right), right: true, base: 0 },
    ],
  };
}

const times = (many: number, make: (at: number) => OwnCase): OwnCase[] =>
  Array.from({ length: many }, (_, at) => make(at));
/** On this site the folder says all, and the slug misleads. */
const telling = (at: number): OwnCase =>
  search(`page ${at}`, { redirectedFolder: 0.9, words: 0.3 }, { slugEdit: 1, words: 0.3 + (at % 7) / 50 });
const easy = (at: number): OwnCase => search(`live ${at}`, { nearCopy: 1, words: 1, prefix: 1 }, { words: 0.4 });
/** Nothing tells the right page from the wrong ones. */
const hopeless = (at: number): OwnCase => {
  const [one, other] = at % 2 === 0 ? [0.5, 0.6] : [0.6, 0.5];
  return search(`page ${at}`, { dense: one }, { dense: other });
};
const fit = (redirects: OwnCase[], mistyped = times(20, easy), junk: OwnCase[] = []): OwnFit =>
  finish(fitOwn(MODEL, { redirects, mistyped, junk }));

describe("weights of a project's own", () => {
  it('are accepted where redirects that they did not see are answered better', () => {
    const { verdict, figures, weights } = fit(times(60, telling));
    expect(figures.recall1.before).to.be.below(0.5);
    expect(figures.recall1.after).to.be.above(0.95);
    expect(figures.log_loss.after).to.be.below(figures.log_loss.before);
    expect(verdict).to.equal('accepted');
    expect(weights.redirectedFolder).to.be.above(MODEL.rank.redirectedFolder);
    expect(weights.slugEdit).to.be.below(MODEL.rank.slugEdit);
  });

  it('are never negative', () => {
    expect(Object.values(fit(times(60, telling)).weights).every((weight) => weight >= 0)).to.equal(true);
  });

  it('are refused where nothing is to be learned', () => {
    const { verdict, figures } = fit(times(60, hopeless));
    expect(verdict).to.equal('not surely better');
    expect(figures.z).to.be.below(2.3);
  });

  it('are refused with few redirects, and the model stays as it is', () => {
    const { verdict, weights, noneAdded } = fit(times(MIN_REDIRECTS - 1, telling));
    expect(verdict).to.equal('too few redirects');
    expect({ weights, noneAdded }).to.deep.equal({ weights: MODEL.rank, noneAdded: 0 });
  });

  it('are refused where one page has all redirects: there is none to check them on', () => {
    const ofOnePage = times(60, (at) => ({ ...telling(at), group: 'page' }));
    expect(fit(ofOnePage).verdict).to.equal('too few redirects');
  });

  it('are refused where mistyped paths are lost', () => {
    const spoiled = (at: number): OwnCase => search('live', { slugEdit: 0.9 - at / 50 }, { redirectedFolder: 0.7 });
    const { verdict, figures } = fit(times(60, telling), times(3, spoiled));
    expect(figures.mistyped_recall1).to.include({ before: 1 });
    expect(figures.mistyped_recall1.after).to.be.below(1);
    expect(verdict).to.equal('mistyped paths worse');
  });

  it('raise what "none of them" weighs with the sums of junk', () => {
    const junk = times(20, (at) => search(`junk ${at}`, { redirectedFolder: 0.5 }, { redirectedFolder: 0.5 }));
    const { noneAdded, figures } = fit(times(60, telling), times(20, easy), junk);
    expect(noneAdded).to.be.above(0);
    expect(figures.junk_answered.after).to.be.at.most(figures.junk_answered.before);
  });

  it('are the same each time', () => {
    expect(fit(times(50, telling))).to.deep.equal(fit(times(50, telling)));
  });
});
