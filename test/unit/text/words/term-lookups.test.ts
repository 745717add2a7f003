import { expect } from 'chai';
import { PATH_BUDGET, QUESTION_BUDGET, chooseTermLookups } from '#src/text/words/term-lookups.js';

describe('chooseTermLookups', () => {
  const BUDGET = { rare: 1_000, common: 1_000 };
  const terms = (...counted: [term: number, pages: number][]) => counted.map(([term, pages]) => ({ term, pages }));
  /** The keys of pages that a term is worth a third in, a half, and most. */
  const [third, half, most] = [
    (term: number) => term + 1_000_000_000,
    (term: number) => -term,
    (term: number) => -term - 1_000_000_000,
  ];

  it('takes all pages of rare terms, the rarest first, as long as together they are few', () => {
    expect(chooseTermLookups(terms([1, 900], [2, 3]), BUDGET)).to.deep.equal([[[2], [1]]]);
    expect(chooseTermLookups(terms([1, 900], [2, 3], [3, 98]), BUDGET)[0]).to.deep.equal([[2], [3], [third(1)]]);
  });

  it('takes of terms that are less rare the pages that they are worth much in, as much as leaves few', () => {
    const single = (pages: number) => chooseTermLookups(terms([1, pages]), BUDGET)[0];
    expect(single(1_001)).to.deep.equal([[third(1)]]);
    expect(single(2_001)).to.deep.equal([[half(1)]]);
    expect(single(4_001)).to.deep.equal([[most(1)]]);
    expect(chooseTermLookups(terms([1, 5_000], [2, 4_000], [3, 5]), { rare: 5, common: 1_000 })[0]).to.deep.equal([
      [3],
      [half(2)],
    ]);
    expect(chooseTermLookups(terms([1, 1_500], [2, 5]), { rare: 5, common: 0 })[0]).to.deep.equal([[2]]);
  });

  it('takes of common terms the pages that the rarest two are worth much in, and that three of them are worth something in', () => {
    expect(chooseTermLookups(terms([1, 40_000], [2, 30_000], [3, 90_000], [4, 99_000]), BUDGET)).to.deep.equal([
      [[half(2), half(1)]],
      [[half(2), third(1)]],
      [[third(2), third(1), third(3)]],
    ]);
    expect(chooseTermLookups(terms([1, 60_000], [2, 50_000]), BUDGET)).to.deep.equal([
      [[half(2), half(1)]],
      [[half(2), third(1)]],
      [[2, 1]],
    ]);
  });

  it('takes both kinds where a question has both', () => {
    expect(chooseTermLookups(terms([1, 10], [2, 90_000], [3, 80_000]), BUDGET)).to.deep.equal([
      [[1]],
      [[half(3), half(2)]],
      [[half(3), third(2)]],
      [[3, 2]],
    ]);
    expect(chooseTermLookups(terms([1, 10], [2, 9_000], [3, 80_000]), BUDGET)).to.deep.equal([
      [[1], [most(2)]],
      [[half(2), half(3)]],
      [[half(2), third(3)]],
      [[2, 3]],
    ]);
  });

  it('takes of one common term the pages that it is worth most in, and any of its pages only where nothing else finds some', () => {
    expect(chooseTermLookups(terms([1, 99_000]), BUDGET)).to.deep.equal([[[most(1)]], [[half(1)]], [[1]]]);
    expect(chooseTermLookups(terms([1, 99_000], [2, 5]), BUDGET)).to.deep.equal([[[2]], [[most(1)]], [[half(1)]]]);
  });

  it('looks nothing up that the site does not hold, and nothing twice', () => {
    expect(chooseTermLookups(terms([1, 0]), BUDGET)).to.deep.equal([]);
    expect(chooseTermLookups(terms([1, 5], [1, 5]), BUDGET)).to.deep.equal([[[1]]]);
  });

  it('makes keys that a signed integer of 32 bits holds, of every term', () => {
    const greatest = { term: 1_000_000_000, pages: 100_000 };
    const least = { term: 1, pages: 100_000 };
    for (const terms of [
      [greatest],
      [least],
      [greatest, least],
      [greatest, least, { term: 999_999_999, pages: 100_000 }],
      [{ ...greatest, pages: 3_000 }],
    ]) {
      for (const budget of [PATH_BUDGET, QUESTION_BUDGET]) {
        for (const key of chooseTermLookups(terms, budget).flat(2)) expect(key | 0).to.equal(key);
      }
    }
  });
});
