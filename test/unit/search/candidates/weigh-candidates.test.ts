import { expect } from 'chai';
import { compareCandidates } from '#src/search/candidates/weigh-candidates.js';

const NOTHING = {
  slugEdit: 0,
  dense: 0,
  beginning: 0,
  lexical: 0,
  slugLexical: 0,
  denseIfFar: 0,
  beginningIfFar: 0,
  lexicalIfFar: 0,
  slugLexicalIfFar: 0,
};

describe('evidence that counts where no live path is near the dead one', () => {
  it('is all of what a page says where no last segment is like the dead one', () => {
    const page = { ...NOTHING, dense: 0.5, beginning: 0.4, lexical: 0.1 };
    compareCandidates([page, { ...NOTHING }]);
    expect(page).to.include({ denseIfFar: 0.5, beginningIfFar: 0.4, lexicalIfFar: 0.1 });
  });

  it('is less for every candidate, the nearer the nearest of them is, by its letters or by the words of its content', () => {
    const page = { ...NOTHING, dense: 0.5 };
    compareCandidates([page, { ...NOTHING, slugEdit: 0.75 }]);
    expect(page.denseIfFar).to.equal(0.125);
    compareCandidates([page, { ...NOTHING, slugEdit: 0.75, slugLexical: 1 }]);
    expect(page.denseIfFar).to.equal(0);
  });

  it('is that of a single candidate, too, and of none', () => {
    const page = { ...NOTHING, lexical: 0.5, slugLexical: 0.5 };
    compareCandidates([page]);
    expect(page).to.include({ lexicalIfFar: 0.25, slugLexicalIfFar: 0.25 });
    compareCandidates([]);
  });
});
