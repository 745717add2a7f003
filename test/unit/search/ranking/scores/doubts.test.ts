import { expect } from 'chai';
import { readCertainty, type CertaintyFacts } from '#src/search/ranking/evidence/certainty-facts.js';
import { readLivePath } from '#src/search/ranking/evidence/page-path.js';
import { UNCALIBRATED } from '#src/search/ranking/scores/calibration.js';
import { describeDoubts, describeHeld, readMissingWords, reasonOfGone } from '#src/search/ranking/scores/doubts.js';
import { readDeadPath } from '#src/text/paths/dead-path.js';
import { sanitizePath } from '#src/text/paths/sanitize-path.js';

const { facts: weights } = UNCALIBRATED.suggest.score;
const NONE: CertaintyFacts = {
  leavesFolder: 0,
  otherInFolder: 0,
  isAncestor: 0,
  isBelow: 0,
  knownWordsMissing: 0,
  unknownWordsMissing: 0,
  isSlip: 0,
  isCut: 0,
};

const live = (path: string): ReturnType<typeof readLivePath> => {
  const { words, slug } = sanitizePath(path);
  return readLivePath({ path, path_words: words.join(' '), slug_words: slug.join(' ') });
};

describe('doubts of a guess', () => {
  const pages = ['/integrations/gitlab', '/integrations/slack', '/integrations', '/docs/api/keys', '/'];
  const written = 'integrations gitlab slack docs api keys github rate limits'.split(' ');
  const doubts = (deadPath: string, path: string): string[] => {
    const dead = readDeadPath(deadPath, null);
    const isWritten = (word: string): boolean => written.includes(word);
    const facts = readCertainty(dead, pages.map(live), isWritten)(live(path));
    return describeDoubts(weights, facts, readMissingWords(dead, isWritten)(live(path)));
  };

  it('say that a page is another one of its folder, stands elsewhere, above or below', () => {
    expect(doubts('/integrations/github', '/integrations/gitlab')).to.deep.equal([
      'it is another page of the same folder',
    ]);
    expect(doubts('/integrations/keys', '/docs/api/keys')).to.deep.equal([
      "the path's folder still has pages, and this one stands elsewhere",
    ]);
    expect(doubts('/docs/api', '/docs/api/keys')).to.deep.equal(['it stands below the path']);
    expect(doubts('/docs/api/keys/rotate', '/docs/api/keys')).to.deep.equal(['it is a folder of the path']);
  });

  it('name the words that the page lacks, written elsewhere or nowhere, the strongest doubt first', () => {
    expect(doubts('/rate-limits-github', '/docs/api/keys')).to.deep.equal([
      'its path lacks words that the site uses elsewhere: rate, limits, github',
    ]);
    expect(doubts('/quux', '/docs/api/keys')).to.deep.equal(['no page writes: quux']);
    expect(doubts('/integrations/rate-limits', '/docs/api/keys')).to.deep.equal([
      "the path's folder still has pages, and this one stands elsewhere",
      'its path lacks words that the site uses elsewhere: integrations, rate, limits',
    ]);
    const long = 'x'.repeat(500);
    expect(doubts(`/${long}`, '/docs/api/keys').join('')).to.have.length.below(100);
  });

  it('are none where a page is the same but for a slip, or where nothing lowers it clearly', () => {
    expect(doubts('/integrations/gitlba', '/integrations/gitlab')).to.deep.equal([]);
    expect(doubts('/docs/api/keys', '/docs/api/keys')).to.deep.equal([]);
    expect(describeDoubts({ ...weights, leavesFolder: -0.4 }, { ...NONE, leavesFolder: 1 }, {})).to.deep.equal([]);
  });
});

describe('the share of gone paths', () => {
  it('is named where it holds a page below .7 or .9, and nowhere else', () => {
    const named = ['many missing paths of this site are gone'];
    expect(describeHeld(0.5, 0.8)).to.deep.equal(named);
    expect(describeHeld(0.8, 0.95)).to.deep.equal(named);
    for (const [score, usual] of [
      [0.95, 0.99],
      [0.75, 0.89],
      [0.2, 0.6],
      [0.8, 0.8],
    ] as const)
      expect(describeHeld(score, usual), `${usual}`).to.deep.equal([]);
  });
});

describe('a path is proposed as gone', () => {
  const sibling = { ...NONE, otherInFolder: 1, knownWordsMissing: 1 };
  const ranked = (facts: CertaintyFacts, ...scores: number[]) =>
    scores.map((score, at) => ({ score, value: 20 - at / 10, facts }));

  it('where the best page is another one of its folder, and says how many are as good', () => {
    expect(reasonOfGone(ranked(sibling, 0.34), false)).to.equal('pages of its folder are near, none is it');
    expect(reasonOfGone(ranked(sibling, 0.34, 0.3, 0.3), false)).to.equal('3 pages of its folder fit equally');
    const far = [...ranked(sibling, 0.34), { score: 0.3, value: 10, facts: sibling }];
    expect(reasonOfGone([...far, ...far.slice(1)], false)).to.equal('pages of its folder are near, none is it');
  });

  it('where no page says its words, none is near, or it was a page that was deleted', () => {
    expect(reasonOfGone(ranked({ ...NONE, unknownWordsMissing: 1 }, 0.3), false)).to.equal('no page says this');
    expect(reasonOfGone(ranked(NONE, 0.09, 0.05, 0.05), false)).to.equal('no page is near');
    expect(reasonOfGone(ranked(NONE, 0.5), true)).to.equal('the page was here and was deleted');
  });

  it('not where a page is likely, has all its words, or several together are, nor of a folder of pages', () => {
    expect(reasonOfGone(ranked(sibling, 0.35), false)).to.equal(undefined);
    expect(reasonOfGone(ranked({ ...sibling, knownWordsMissing: 0 }, 0.3), false)).to.equal(undefined);
    expect(reasonOfGone(ranked({ ...NONE, leavesFolder: 1, knownWordsMissing: 2 }, 0.3), false)).to.equal(undefined);
    expect(reasonOfGone(ranked({ ...NONE, unknownWordsMissing: 1 }, 0.4), false)).to.equal(undefined);
    expect(reasonOfGone(ranked(NONE, 0.09, 0.08, 0.08), false)).to.equal(undefined);
    expect(reasonOfGone(ranked({ ...NONE, isBelow: 1 }, 0.02), false)).to.equal(undefined);
    expect(reasonOfGone([], false)).to.equal(undefined);
  });
});
