import { expect } from 'chai';
import { termLookups } from '#src/search/words/term-lookups.js';

describe('termLookups', () => {
  const ALL = 100_000;
  /** The keys of pages that a term is worth a third in, a half, and most. */
  const [third, half, most] = [(term: number) => term + 1_000_000_000, (term: number) => -term, (term: number) => -term - 1_000_000_000];

  it('takes all pages of rare terms, the rarest first, as long as together they are few', () => {
    expect(termLookups([{ term: 1, pages: 900 }, { term: 2, pages: 3 }], ALL)).to.deep.equal([[[2], [1]]]);
    expect(termLookups([{ term: 1, pages: 900 }, { term: 2, pages: 3 }, { term: 3, pages: 2_500 }], ALL)[0]).to.deep.equal([[2], [1]]);
  });

  it('takes of common terms the pages that the rarest two are worth much in, and those that hold enough of them together', () => {
    expect(termLookups([{ term: 1, pages: 20_000 }, { term: 2, pages: 10_000 }, { term: 3, pages: 90_000 }], ALL)).to.deep.equal([
      [[half(2), half(1)]], [[half(2), third(1)]], [[2, 1]],
    ]);
    expect(termLookups([{ term: 1, pages: 60_000 }, { term: 2, pages: 50_000 }, { term: 3, pages: 40_000 }], ALL).at(-1)).to.deep.equal([[3, 2, 1]]);
  });

  it('takes both kinds where a question has both', () => {
    expect(termLookups([{ term: 1, pages: 10 }, { term: 2, pages: 9_000 }, { term: 3, pages: 8_000 }], ALL)).to.deep.equal([
      [[1]], [[half(3), half(2)]], [[half(3), third(2)]], [[3, 2]],
    ]);
  });

  it('takes of one common term the pages that it is worth most in, and any of its pages only where nothing else finds some', () => {
    expect(termLookups([{ term: 1, pages: 99_000 }], ALL)).to.deep.equal([[[most(1)]], [[half(1)]], [[1]]]);
    expect(termLookups([{ term: 1, pages: 99_000 }, { term: 2, pages: 5 }], ALL)).to.deep.equal([[[2]], [[most(1)]], [[half(1)]]]);
  });

  it('looks nothing up that the site does not hold, and nothing twice', () => {
    expect(termLookups([{ term: 1, pages: 0 }], ALL)).to.deep.equal([]);
    expect(termLookups([{ term: 1, pages: 5 }, { term: 1, pages: 5 }], ALL)).to.deep.equal([[[1]]]);
  });

  it('makes keys that a signed integer of 32 bits holds, of every term', () => {
    for (const lookup of termLookups([{ term: 1_000_000_000, pages: ALL }, { term: 1, pages: ALL }], ALL)) {
      for (const key of lookup.flat()) expect(key | 0).to.equal(key);
    }
    for (const lookup of termLookups([{ term: 1_000_000_000, pages: ALL }], ALL)) for (const key of lookup.flat()) expect(key | 0).to.equal(key);
  });
});
