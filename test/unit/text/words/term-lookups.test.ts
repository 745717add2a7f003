import { expect } from 'chai';
import { PATH_BUDGET, QUESTION_BUDGET, chooseTermLookups } from '#src/text/words/term-lookups.js';

describe('chooseTermLookups', () => {
  const BUDGET = { rare: 1_000, common: 1_000 };
  /** The keys of pages that a term is worth a third in, a half, and most. */
  const [third, half, most] = [
    (term: number) => term + 1_000_000_000,
    (term: number) => -term,
    (term: number) => -term - 1_000_000_000,
  ];

  it('takes all pages of rare terms, the rarest first, as long as together they are few', () => {
    expect(
      chooseTermLookups(
        [
          { term: 1, pages: 900 },
          { term: 2, pages: 3 },
        ],
        BUDGET,
      ),
    ).to.deep.equal([[[2], [1]]]);
    expect(
      chooseTermLookups(
        [
          { term: 1, pages: 900 },
          { term: 2, pages: 3 },
          { term: 3, pages: 98 },
        ],
        BUDGET,
      )[0],
    ).to.deep.equal([[2], [3], [third(1)]]);
  });

  it('takes of terms that are less rare the pages that they are worth much in, as much as leaves few', () => {
    const single = (pages: number) => chooseTermLookups([{ term: 1, pages }], BUDGET)[0];
    expect(single(1_001)).to.deep.equal([[third(1)]]);
    expect(single(2_001)).to.deep.equal([[half(1)]]);
    expect(single(4_001)).to.deep.equal([[most(1)]]);
    expect(
      chooseTermLookups(
        [
          { term: 1, pages: 5_000 },
          { term: 2, pages: 4_000 },
          { term: 3, pages: 5 },
        ],
        { rare: 5, common: 1_000 },
      )[0],
    ).to.deep.equal([[3], [half(2)]]);
    expect(
      chooseTermLookups(
        [
          { term: 1, pages: 1_500 },
          { term: 2, pages: 5 },
        ],
        { rare: 5, common: 0 },
      )[0],
    ).to.deep.equal([[2]]);
  });

  it('takes of common terms the pages that the rarest two are worth much in, and that three of them are worth something in', () => {
    expect(
      chooseTermLookups(
        [
          { term: 1, pages: 40_000 },
          { term: 2, pages: 30_000 },
          { term: 3, pages: 90_000 },
          { term: 4, pages: 99_000 },
        ],
        BUDGET,
      ),
    ).to.deep.equal([[[half(2), half(1)]], [[half(2), third(1)]], [[third(2), third(1), third(3)]]]);
    expect(
      chooseTermLookups(
        [
          { term: 1, pages: 60_000 },
          { term: 2, pages: 50_000 },
        ],
        BUDGET,
      ),
    ).to.deep.equal([[[half(2), half(1)]], [[half(2), third(1)]], [[2, 1]]]);
  });

  it('takes both kinds where a question has both', () => {
    expect(
      chooseTermLookups(
        [
          { term: 1, pages: 10 },
          { term: 2, pages: 90_000 },
          { term: 3, pages: 80_000 },
        ],
        BUDGET,
      ),
    ).to.deep.equal([[[1]], [[half(3), half(2)]], [[half(3), third(2)]], [[3, 2]]]);
    expect(
      chooseTermLookups(
        [
          { term: 1, pages: 10 },
          { term: 2, pages: 9_000 },
          { term: 3, pages: 80_000 },
        ],
        BUDGET,
      ),
    ).to.deep.equal([[[1], [most(2)]], [[half(2), half(3)]], [[half(2), third(3)]], [[2, 3]]]);
  });

  it('takes of one common term the pages that it is worth most in, and any of its pages only where nothing else finds some', () => {
    expect(chooseTermLookups([{ term: 1, pages: 99_000 }], BUDGET)).to.deep.equal([[[most(1)]], [[half(1)]], [[1]]]);
    expect(
      chooseTermLookups(
        [
          { term: 1, pages: 99_000 },
          { term: 2, pages: 5 },
        ],
        BUDGET,
      ),
    ).to.deep.equal([[[2]], [[most(1)]], [[half(1)]]]);
  });

  it('looks nothing up that the site does not hold, and nothing twice', () => {
    expect(chooseTermLookups([{ term: 1, pages: 0 }], BUDGET)).to.deep.equal([]);
    expect(
      chooseTermLookups(
        [
          { term: 1, pages: 5 },
          { term: 1, pages: 5 },
        ],
        BUDGET,
      ),
    ).to.deep.equal([[[1]]]);
  });

  it('makes keys that a signed integer of 32 bits holds, of every term', () => {
    const [greatest, least] = [
      { term: 1_000_000_000, pages: 100_000 },
      { term: 1, pages: 100_000 },
    ];
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
