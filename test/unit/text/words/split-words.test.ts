import { expect } from 'chai';
import { splitCased, splitWords } from '#src/text/words/split-words.js';

describe('splitWords', () => {
  const table: [string, string, string[]][] = [
    ['separators', 'a1-b1_c1.d1+e1~f1,g1;h1:i1 j1', 'a1 b1 c1 d1 e1 f1 g1 h1 i1 j1'.split(' ')],
    ['camelCase', 'gettingStarted', ['getting', 'started']],
    ['PascalCase', 'ReturnPolicy', ['return', 'policy']],
    ['an acronym before a word', 'HTTPServer', ['http', 'server']],
    ['an acronym after a word', 'parseJSON', ['parse', 'json']],
    ['the plural of an acronym, kept whole', 'APIs', ['apis']],
    ['a lone capital or small letter, kept with its word', 'iPhone OAuth', ['iphone', 'oauth']],
    [
      'a sentence with its I and A',
      'whenWillIGetMyRefund GetAQuote',
      'when will i get my refund get a quote'.split(' '),
    ],
    ['case that alternates, kept whole', 'aLtErNaTe', ['alternate']],
    ['upper case', 'ABOUT-US', ['about', 'us']],
    ['letters with digits, kept whole', 'k40 s3 2fa covid19 FY20Q3', ['k40', 's3', '2fa', 'covid19', 'fy20q3']],
    ['a year glued to a word', 'feb2017 2024budget', ['feb', '2017', '2024', 'budget']],
    ['a capitalized word after a digit', 'no2Negatives', ['no2', 'negatives']],
    ['apostrophes inside words', "what's editor’s 'quoted'", ['whats', 'editors', 'quoted']],
    ['accents, composed or not', 'Cafe\u0301 Éclair', ['café', 'éclair']],
    ['full-width letters', 'ＡＢＣ', ['abc']],
    ['Chinese runs kept as words', '使用docker安装', ['使用', 'docker', '安装']],
    ['Japanese', 'データベース-入門', ['データベース', '入門']],
    ['right-to-left scripts', 'שלום-עולם مرحبا', ['שלום', 'עולם', 'مرحبا']],
    ['scripts with combining marks', 'हिन्दी-भाषा', ['हिन्दी', 'भाषा']],
    ['emoji as separators', 'summer🎉party', ['summer', 'party']],
    ['invisible characters', 'in\u00advisi\u200bble', ['invisible']],
    ['no words at all', '--- ... 🎉', []],
    ['names of object members', '__proto__ constructor toString', ['proto', 'constructor', 'to', 'string']],
  ];
  for (const [what, text, words] of table) {
    it(`reads ${what}`, () => {
      expect(splitWords(text)).to.deep.equal(words);
    });
  }

  it('lower-cases without a locale', () => {
    expect(splitWords('TITLE')).to.deep.equal(['title']);
  });

  it('cuts words of more than 64 characters, never through a character', () => {
    expect(splitWords('a'.repeat(500))).to.deep.equal(['a'.repeat(64)]);
    expect(splitWords(`a${'𐐀'.repeat(100)}`)[0]).to.have.length(63);
  });

  it('survives lone surrogates', () => {
    expect(splitWords('one\ud800two\udc00')).to.deep.equal(['one', 'two']);
  });

  it('keeps the case for titles', () => {
    expect(splitCased('the-FAQ_of-ACME')).to.deep.equal(['the', 'FAQ', 'of', 'ACME']);
  });
});
