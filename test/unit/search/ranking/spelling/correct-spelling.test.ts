import { expect } from 'chai';
import type { PathWords } from '#src/base/glossary.js';
import { typingCost, correctableWords, readingsToLookUp } from '#src/search/ranking/spelling/word-readings.js';
import { editDistance } from '#src/text/words/likeness.js';
import { correctSpelling } from '#src/search/ranking/spelling/correct-spelling.js';

/** The vocabulary counts the pages of each word. */
const VOCABULARY = new Map(
  `getting:40 started:50 return:30 policy:60 pens:20 shipping:25 refund:12 refunds:14 delivery:33 part:9 data:90
    base:4 database:20 plain:40 language:90 plainlanguage:6 information:80 formation:3 contact:70 content:30
    about:90 us:90 workshop:45 works:20 model:40 models:35 is:200 mode:9 install:30 installation:44 smoking:8
    sprint:15 print:15 the:200 meeting:50 meet:10 in:200 covid18:5 covid19:5 gebühren:30 straße:12 løsning:12
    unités:10 unies:30`
    .split(/\s+/)
    .map((entry) => [entry.split(':')[0] ?? '', Number(entry.split(':')[1])] as const),
);

/** Corrects a path's words with the answers that the database would give. */
function correct(...segments: string[]): string {
  const lists = segments.map((segment) => segment.split(' '));
  const words: PathWords = { words: lists.flat(), slug: lists.at(-1) ?? [] };
  const known = new Map(
    readingsToLookUp(words.words).flatMap((probe) => {
      const pages = VOCABULARY.get(probe);
      return pages === undefined ? [] : [[probe, pages] as const];
    }),
  );
  const unknown = correctableWords(words.words).filter(({ forms }) => !forms.some((form) => known.has(form)));
  const near = new Map(
    unknown.map(({ word }) => [
      word,
      [...VOCABULARY]
        .filter(([other]) => editDistance(word, other) <= 2)
        .map(([other, pages]) => ({ word: other, pages })),
    ]),
  );
  return correctSpelling(words, known, near, () => false).words.words.join(' ');
}

const notReal = (): boolean => false;

describe('correctSpelling', () => {
  /** Words and what they are corrected to, where they are. */
  const promises: Record<string, string> = {
    'leaves words of the vocabulary alone, and their plurals and singulars': 'content, return, returns, pen, policies',
    'corrects one slip in five to eight letters':
      'polciy → policy, refumd → refund, delivry → delivery, contacct → contact',
    'corrects two slips in nine letters and more': 'informtaoin → information, instalattion → installation',
    'does not touch four letters and fewer': 'peno, abot, dta',
    'never changes digits': 'covid17, covjd19 → covid19, 2023',
    'prefers the commoner word and the likelier slip': 'informaton → information, contsct → contact',
    'splits words that ran together':
      'part13 → part 13, gettingstarted → getting started, returnpolicy → return policy, aboutus → about us',
    'prefers a corrected word to a far-fetched split': 'modeis → models, meetin → meeting',
    'joins words that fell apart': 'smo king → smoking, data base → database, infor mation → information',
    'does not join words that are commonly written apart': 'plain language',
    'reads two letters of a slug as the one that pages write':
      'gebuehren → gebühren, strasse → straße, loesning → løsning',
    'takes a missing accent for a likelier slip than another letter': 'unites → unités, losning → løsning',
    'keeps what it cannot make sense of': 'zyxwvut, 文档指南手册',
    'takes names of object members for words': 'constructor, proto',
  };
  for (const [promise, cases] of Object.entries(promises)) {
    it(promise, () => {
      for (const [from = '', to = from] of cases.split(', ').map((pair) => pair.split(' → ')))
        expect(correct(from), from).to.equal(to);
    });
  }

  it('does not join words of two segments', () => {
    expect(correct('smo', 'king')).to.equal('smo king');
  });

  it('corrects the slug with the words, and says what it changed', () => {
    const near = new Map([['polciy', [{ word: 'policy', pages: 3 }]]]);
    const result = correctSpelling(
      { words: ['shop', 'polciy'], slug: ['polciy'] },
      new Map([['shop', 2]]),
      near,
      notReal,
    );
    expect(result).to.deep.equal({
      words: { words: ['shop', 'policy'], slug: ['policy'] },
      corrections: [{ from: 'polciy', to: 'policy' }],
    });
  });

  it('takes empty words, and an empty vocabulary', () => {
    const none = { words: [], slug: [] };
    expect(correctSpelling(none, new Map(), new Map(), notReal)).to.deep.equal({ words: none, corrections: [] });
    expect(correct('quizzical')).to.equal('quizzical');
  });

  it('refuses a near word that is too far for the length', () => {
    const near = new Map([['delvry', [{ word: 'delivery', pages: 900 }]]]);
    const path = { words: ['delvry'], slug: ['delvry'] };
    expect(correctSpelling(path, new Map(), near, notReal).corrections).to.deep.equal([]);
  });

  it('leaves a real word that the site lacks, but for an ordinary slip', () => {
    const read = (word: string, near: string): string => {
      const readings = new Map([[word, [{ word: near, pages: 3 }]]]);
      return correctSpelling({ words: [word], slug: [word] }, new Map(), readings, () => true).words.words.join(' ');
    };
    expect(read('shipping', 'chipping')).to.equal('shipping');
    expect(read('contract', 'contact')).to.equal('contract');
    expect(read('adress', 'address'), 'a letter doubled').to.equal('address');
    expect(read('colour', 'coluor'), 'two letters swapped').to.equal('coluor');
    expect(read('month', 'monty'), 'a key beside').to.equal('monty');
    const parts = new Map(Object.entries({ key: 9, board: 9 }));
    const split = { words: ['keyboard'], slug: ['keyboard'] };
    expect(correctSpelling(split, parts, new Map(), () => true).words.words).to.deep.equal(['keyboard']);
    expect(correctSpelling(split, parts, new Map(), notReal).words.words).to.deep.equal(['key', 'board']);
  });
});

describe('readingsToLookUp', () => {
  it('asks for words, plurals, joins and splits, each once', () => {
    const probes = readingsToLookUp(['return', 'policies', 'return']);
    expect(probes).to.include.members(['return', 'returns', 'policies', 'policy', 'returnpolicies', 'poli', 'cies']);
    expect(new Set(probes).size).to.equal(probes.length);
  });

  it('asks for 400 at most', () => {
    const words = Array.from({ length: 128 }, (_, i) => `someveryverylongword${'abcdefgh'[i % 8] ?? ''}${i}`);
    expect(readingsToLookUp(words)).to.have.length.at.most(400);
    expect(readingsToLookUp([])).to.deep.equal([]);
  });

  it('asks for what the end of a long path needs first', () => {
    const words = [...Array.from({ length: 100 }, (_, i) => `wordnumber${i}`), 'gettingstarted'];
    expect(readingsToLookUp(words)).to.include.members(['gettingstarted', 'getting', 'started']);
  });
});

describe('correctableWords', () => {
  it('names each word that may be corrected once, with its forms, without short ones, numbers and other scripts', () => {
    expect(correctableWords(['polciy', 'abot', '12345', 'polciy', '文档指南手册'])).to.deep.equal([
      { word: 'polciy', forms: ['polciy', 'polciy', 'polciys'] },
    ]);
  });
});

describe('editDistance', () => {
  /** Optimal string alignment by its definition. */
  function defined(a: string, b: string): number {
    const d = Array.from({ length: a.length + 1 }, (_, i) =>
      Array.from({ length: b.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)),
    );
    for (let i = 1; i <= a.length; i++) {
      for (let j = 1; j <= b.length; j++) {
        const cell = (di: number, dj: number): number => d[i - di]?.[j - dj] ?? 0;
        let best = Math.min(cell(1, 0) + 1, cell(0, 1) + 1, cell(1, 1) + Number(a[i - 1] !== b[j - 1]));
        if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) best = Math.min(best, cell(2, 2) + 1);
        (d[i] ?? [])[j] = best;
      }
    }
    return d[a.length]?.[b.length] ?? 0;
  }

  it('counts as it is defined, for texts of every length', () => {
    let state = 7;
    const next = (below: number): number => (state = (state * 16_807) % 2_147_483_647) % below;
    const text = (): string => Array.from({ length: next(50) }, () => 'abcé語'.charAt(next(5))).join('');
    for (let i = 0; i < 3_000; i++) {
      const [a, b] = [text(), text()];
      expect(editDistance(a, b), `${a} ${b}`).to.equal(defined(a, b));
    }
  });
});

describe('typingCost', () => {
  it('makes slips of the fingers cheap', () => {
    expect(typingCost('policy', 'policy')).to.equal(0);
    expect(typingCost('pokicy', 'policy')).to.be.below(typingCost('powicy', 'policy'));
    expect(typingCost('polliccy', 'policy')).to.be.below(typingCost('polxicqy', 'policy'));
    expect(typingCost('poilcy', 'policy')).to.be.below(typingCost('pabicy', 'policy'));
  });

  it('makes a wrong first letter dear', () => {
    expect(typingCost('bolicy', 'policy')).to.be.above(typingCost('pobicy', 'policy'));
  });

  it('counts plain slips apart from their cost', () => {
    expect(editDistance('policy', 'polciy')).to.equal(1);
    expect(editDistance('', 'abc')).to.equal(3);
    expect(editDistance('kitten', 'sitting')).to.equal(3);
  });
});
