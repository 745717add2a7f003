import { expect } from 'chai';
import { Vocabulary } from '#src/embedding/vocabulary.js';
import { hasWord } from '#src/embedding/word-set.js';

const wordsOf = (...texts: string[]): Uint32Array => new Vocabulary(texts.map((text, id) => [text, id])).words;

describe('the words of a vocabulary', () => {
  const set = wordsOf('shipping', 'losung', 'über', 'größe', 'cart', '##chipping');

  it('are its own, with and without accents, and no others', () => {
    for (const word of ['shipping', 'losung', 'lösung', 'größe']) expect(hasWord(set, word), word).to.equal(true);
    for (const word of ['chipping', 'shippin', 'grosse', '']) expect(hasWord(set, word), word).to.equal(false);
  });

  it('are none of less than five letters, which are parts of others', () => {
    for (const word of ['über', 'cart']) expect(hasWord(set, word), word).to.equal(false);
  });

  it('may be empty', () => {
    expect(hasWord(wordsOf(), 'shipping')).to.equal(false);
  });
});
