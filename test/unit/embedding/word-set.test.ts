import { expect } from 'chai';
import { hasWord, toWordSet } from '#src/embedding/word-set.js';

describe('a set of words', () => {
  const set = toWordSet(['shipping', 'losung', 'über', 'größe', 'cart']);

  it('has its words, with and without accents, and no others', () => {
    for (const word of ['shipping', 'losung', 'lösung', 'größe']) expect(hasWord(set, word), word).to.equal(true);
    for (const word of ['chipping', 'shippin', 'grosse', '']) expect(hasWord(set, word), word).to.equal(false);
  });

  it('has no word of less than five letters, which are parts of others', () => {
    for (const word of ['über', 'cart']) expect(hasWord(set, word), word).to.equal(false);
  });

  it('may be empty', () => {
    expect(hasWord(toWordSet([]), 'shipping')).to.equal(false);
  });
});
