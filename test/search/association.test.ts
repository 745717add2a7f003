import { expect } from 'chai';
import { associationWith } from '#src/search/association.js';
import { termOf } from '#src/search/words/terms.js';

const terms = (...words: string[]): Set<number> => new Set(words.map(termOf));
const equal = (): number => 1;

describe('associationWith', () => {
  const neighbours = [
    { weight: 2, terms: terms('aws', 'cloud', 'page') },
    { weight: 1, terms: terms('aws', 'cloud', 'budget', 'page') },
    { weight: 1, terms: terms('aws', 'page') },
  ];
  const share = (word: string): number => (word === 'page' ? 1 : 0.1);
  const of = associationWith(['aws'], neighbours, share, equal);

  it('ties a word to those that its pages speak of', () => {
    expect(of(['cloud'])).to.be.above(of(['budget']));
    expect(of(['budget'])).to.be.above(of(['bridge']));
    expect(of(['bridge'])).to.equal(0);
  });

  it('ties nothing to words that every page has', () => {
    expect(of(['page'])).to.equal(0);
  });

  it('is 1 for the slug itself, and shares out by weight', () => {
    expect(of(['aws'])).to.equal(1);
    expect(of(['aws', 'bridge'])).to.equal(0.5);
    expect(of([])).to.equal(0);
  });

  it('is 0 where no page has the dead slug', () => {
    expect(associationWith(['aws'], [], share, equal)(['cloud'])).to.equal(0);
  });
});
