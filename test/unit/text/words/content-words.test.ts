import { expect } from 'chai';
import { codesOf, contentTokens } from '#src/text/words/split-words.js';
import { runYielding } from '#src/base/map-yielding.js';
import { readPageWords, stepPageWords } from '#src/text/words/terms.js';

const tokens = (text: string): string[] => [...contentTokens(text)];

describe('contentTokens', () => {
  const table: [string, string, string[]][] = [
    [
      'words as they are written, in lower case',
      'Pens, pens and OpenInk. The shop’s pens!',
      ['pens', 'pens', 'and', 'openink', 'the', 'shops', 'pens'],
    ],
    ['numbers, but no single letters', 'a 2024 I k40 x2 7', ['2024', 'k40', 'x2']],
    [
      'words of 40 characters and no longer ones',
      `${'b'.repeat(40)} ${'c'.repeat(41)} ${'d'.repeat(5000)}`,
      ['b'.repeat(40)],
    ],
    ['Chinese in pairs of characters', '使用说明', ['使用', '用说', '说明']],
    ['a character that stands alone', '猫, cat', ['猫', 'cat']],
    ['Japanese and Latin side by side', 'データをDocker化', ['デー', 'ータ', 'タを', 'docker', '化']],
    ['Thai in pairs', 'ไทย', ['ไท', 'ทย']],
    ['Korean in pairs, which particles do not hide', '데이터를 API로', ['데이', '이터', '터를', 'api', '로']],
    ['Korean that comes decomposed', '데이터'.normalize('NFD'), ['데이', '이터']],
    ['Arabic, Hebrew and Hindi as words', 'مرحبا שלום हिन्दी', ['مرحبا', 'שלום', 'हिन्दी']],
    ['accents, composed or not', 'Cafe\u0301 Éclair', ['café', 'éclair']],
    [
      'French and Italian words without what is joined to them',
      'L’espace d’un élève, lorsqu’il dell’arte; don’t, O’Reilly, the shop’s',
      ['espace', 'un', 'élève', 'il', 'arte', 'dont', 'oreilly', 'the', 'shops'],
    ],
    ['names of object members', 'constructor __proto__', ['constructor', 'proto']],
  ];
  for (const [what, text, words] of table) {
    it(`reads ${what}`, () => {
      expect(tokens(text)).to.deep.equal(words);
    });
  }

  it('reads a paragraph of Chinese of any length', () => {
    expect(tokens('漢字'.repeat(5000))).to.have.length(9999);
  });
});

describe('codesOf', () => {
  it('finds error codes, product numbers and versions as one word', () => {
    expect([...codesOf('Error E-17 on AB-1234.5 since v2.3.1 (RFC_2616), 1.0')]).to.deep.equal([
      'e17',
      'ab12345',
      'v231',
      'rfc2616',
      '1.0',
    ]);
  });

  it('leaves out what holds no digit, and what is longer than a code', () => {
    expect([...codesOf('well-known /docs/api/reference/item-number-4711/details-and-more')]).to.not.include(
      'wellknown',
    );
    expect([...codesOf(`${'a1-'.repeat(3)}${'b'.repeat(16)}`)]).to.deep.equal([]);
  });
});

it('are read in turns: others run between, and the words are the same', async () => {
  const content = '文字を読む、'.repeat(20_000);
  let turns = 0;
  let done = false;
  const count = (): void => {
    turns++;
    if (!done) setImmediate(count);
  };
  setImmediate(count);
  const words = await runYielding(stepPageWords(content));
  done = true;
  expect(turns).to.be.at.least(3);
  expect(words).to.deep.equal(readPageWords(content));
});
