import { join } from 'node:path';
import { expect } from 'chai';
import { openTokenizer } from '#src/embedding/tokenizer.js';
import { packageRoot } from '#src/base/package-root.js';
import { LEAST_MS, spent } from '../../support/growth.js';

const TEXTS = [
  'A short sentence, (with punctuation): done.',
  ' marks [CLS] inside[SEP]words\n',
  'Ünïcödé ΣΊΣΥΦΟΣ e\u0301 \ud800',
  '使用说明。パスワードを忘れた',
];

/** The tokens of the texts, with which the models' scores were fitted. */
const TOKENS = {
  'pathmend-static-v2': [
    [81, 10798, 13618, 27, 19, 10463, 24530, 21, 55, 10912, 31],
    [14586, 2, 11218, 3, 11181],
    [19883, 297, 278, 298, 302, 304, 290, 296, 89],
    [48898, 51095, 1, 54804, 1278, 2782, 53632],
  ],
  'pathmend-english-v1': [
    [1037, 2460, 6251, 1010, 1006, 2007, 26136, 6593, 14505, 1007, 1024, 2589, 1012],
    [6017, 101, 2503, 102, 2616],
    [27260, 1173, 18199, 29733, 29735, 29736, 15297, 1041],
    [100, 100, 100, 1865, 1636, 1718, 30233, 30262, 30265, 30240, 30216, 100, 1688, 30187],
  ],
  'pathmend-multilingual-v1': [
    [62, 15010, 79347, 4, 15, 52707, 27493, 34, 2320, 2077, 15271, 5],
    [14686, 7, 378, 441, 17424, 268, 35849, 1065, 294, 18606, 268, 36666, 7],
    [8480, 19, 9163, 238, 18515, 446, 5127, 77950, 7496, 14806, 27355, 9952, 7496, 393, 6, 3],
    [6, 2229, 29884, 30, 87905, 86188, 2427],
  ],
};

for (const [name, tokens] of Object.entries(TOKENS))
  describe(`the tokenizer of ${name}`, () => {
    const folder = join(packageRoot(), 'models', name);

    it('gives the tokens with which the scores of the model were fitted', async () => {
      const { tokenize } = await openTokenizer(folder);
      expect(TEXTS.map(tokenize)).to.deep.equal(tokens);
      expect(tokenize(' \n')).to.deep.equal([]);
    });

    it('takes no longer for long words than for as many letters in words of 32', async () => {
      const { tokenize } = await openTokenizer(folder);
      const letters = Array.from({ length: 9_600 }, (_, at) => 'qxzjkvwaeiou'.charAt(((at * at) % 131) % 12)).join('');
      const work = (length: number): number => {
        const words = (letters.match(new RegExp(`.{${length}}`, 'g')) ?? []).join(' ');
        return Math.min(
          ...Array.from({ length: 5 }, () => {
            const before = spent();
            tokenize(words);
            return spent() - before;
          }),
        );
      };
      // Where words are not cut, the work of WordPiece grows with the cube of a word.
      expect(work(96)).to.be.at.most(2 * Math.max(LEAST_MS, work(32)));
    });
  });
