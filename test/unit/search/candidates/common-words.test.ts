import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '#src/base/package-root.js';
import { setOfWords } from '../../../../scripts/model/set-of-words.js';
import { hasWord, readCommonWords } from '#src/search/candidates/site-vocabulary.js';

const wordsOf = (...texts: string[]): Uint32Array => setOfWords(texts);

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

  it('that come with pathmend are those of its static model', async () => {
    const file = join(packageRoot(), 'models', 'pathmend-static-v2', 'tokenizer.json');
    const { model } = JSON.parse(await readFile(file, 'utf8')) as { model: { vocab: Record<string, number> } };
    expect(readCommonWords()).to.deep.equal(setOfWords(Object.keys(model.vocab)));
    expect(hasWord(readCommonWords(), 'shipping')).to.equal(true);
  });
});
