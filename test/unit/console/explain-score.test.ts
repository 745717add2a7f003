import { expect } from 'chai';
import { certainty, explainScore } from '#src/console/explain-score.js';

describe("the inbox's reason for a suggestion", () => {
  it('sums up kinds of evidence in plain words, largest first, and leaves out what hardly counts', () => {
    expect(explainScore({ evidence: { words: 0.31, lexical: 0.3, dense: 0.25, prefix: 0.08, depth: 0.06 } })).to.equal(
      'matching content (55%), similar paths (45%)',
    );
    expect(explainScore({ evidence: { lexical: 0.95, moved: 0.05 } })).to.equal('matching content (95%)');
  });

  it('does not call a path alike for standing near the top, or for numbers and language', () => {
    expect(explainScore({ evidence: { shallow: 0.8, sameLanguage: 0.2 } })).to.equal(
      'near the top of the site (80%), same numbers and language (20%)',
    );
  });

  it('says what holds a score down', () => {
    expect(explainScore({ evidence: { words: 1 }, bounded: 'its number is another' })).to.equal(
      'similar paths (100%), but its number is another',
    );
    const doubts = ['it is another page of the same folder', 'no page writes: quux'];
    expect(explainScore({ evidence: { words: 1 }, doubts })).to.equal(
      'similar paths (100%), but it is another page of the same folder; no page writes: quux',
    );
    expect(
      explainScore({ evidence: {}, bounded: 'its number is another', doubts: ['it stands below the path'] }),
    ).to.equal('but its number is another; it stands below the path');
  });

  it('says which words were read otherwise, and how redirects rewrite such a path', () => {
    expect(
      explainScore({
        evidence: { moved: 1 },
        corrections: [{ from: 'polciy', to: 'policy' }],
        rewriting: 'Rewritten as /a was to /b',
      }),
    ).to.equal(
      'redirects and clicks from this path or its section lead there (100%), read “polciy” as “policy”, Rewritten as /a was to /b',
    );
  });
});

describe('how sure the console calls a suggestion', () => {
  it('is the score of now, as the API has it, or what visitors chose where that decided, and 1.00 of no guess', () => {
    const describeScore = (score: number, chosen?: { clicks: number; of: number } | { below: string }): string =>
      certainty({ score, explanation: { evidence: {}, ...(chosen && { chosen }) } });
    expect(describeScore(0.8349)).to.equal('score 0.83');
    expect(describeScore(0.29)).to.equal('score 0.29');
    expect(describeScore(0.8999)).to.equal('score 0.89');
    expect(describeScore(0.9999)).to.equal('score 0.99');
    expect(describeScore(1)).to.equal('score 1.00');
    expect(certainty({ score: 0.69, explanation: { evidence: {}, bounded: 'its number is another' } })).to.equal(
      'at most 0.69',
    );
    expect(describeScore(0.004)).to.equal('score under 0.01');
    expect(describeScore(0.89, { clicks: 17, of: 20 })).to.equal('17 of 20 clicks');
    expect(describeScore(0.89, { below: '/shop/' })).to.equal('as visitors of /shop/… chose');
  });
});
