import { expect } from 'chai';
import { rareTerms } from '#src/search/words/rare-terms.js';

describe('rareTerms', () => {
  const ALL = 100_000;

  it('takes rare terms by themselves, the rarest first, as long as all their pages are few', () => {
    expect(rareTerms([{ term: 1, pages: 900 }, { term: 2, pages: 3 }, { term: 3, pages: 2_500 }], ALL)).to.deep.equal([[2], [1]]);
  });

  it('takes so many common terms together that few pages should hold them all', () => {
    expect(rareTerms([{ term: 1, pages: 20_000 }, { term: 2, pages: 10_000 }, { term: 3, pages: 90_000 }], ALL)).to.deep.equal([[2, 1]]);
    expect(rareTerms([{ term: 1, pages: 60_000 }, { term: 2, pages: 50_000 }, { term: 3, pages: 5_000 }], ALL)).to.deep.equal([[3, 2]]);
  });

  it('takes both kinds of one question', () => {
    expect(rareTerms([{ term: 1, pages: 10 }, { term: 2, pages: 9_000 }, { term: 3, pages: 8_000 }], ALL)).to.deep.equal([[1], [3, 2]]);
  });

  it('takes all of a question of the commonest words, even one alone', () => {
    expect(rareTerms([{ term: 1, pages: 99_000 }, { term: 2, pages: 98_000 }], ALL)).to.deep.equal([[2, 1]]);
    expect(rareTerms([{ term: 1, pages: 99_000 }], ALL)).to.deep.equal([[1]]);
  });

  it('leaves out what no page has, and takes a term that comes twice once', () => {
    expect(rareTerms([{ term: 1, pages: 0 }], ALL)).to.deep.equal([]);
    expect(rareTerms([{ term: 1, pages: 5 }, { term: 1, pages: 5 }], ALL)).to.deep.equal([[1]]);
  });
});
