import { expect } from 'chai';
import {
  MAX_TERM_ID,
  pathTerms,
  readPageWords,
  searchedTerms,
  searchedWords,
  termOf,
  termWeight,
  type TermWeights,
} from '#src/text/words/terms.js';
import { wordForms } from '#src/text/words/word-forms.js';

const pageTerms = (content: string): TermWeights => readPageWords(content).terms;

/** The inner product, as PostgreSQL makes it. */
function score(question: TermWeights, page: TermWeights): number {
  let sum = 0;
  for (const [term, weight] of question) sum += weight * (page.get(term) ?? 0);
  return sum;
}

const ask = (text: string, known: (word: string) => boolean = () => true): TermWeights => {
  const { words, codes } = searchedWords(text);
  return searchedTerms(words, codes, () => 1, known);
};

describe('terms', () => {
  it('brings together the forms of a word, and accents with none', () => {
    expect(termOf('policies')).to.equal(termOf('policy'));
    expect(termOf('cafés')).to.equal(termOf('cafe'));
    expect(termOf('pen')).to.not.equal(termOf('pan'));
    expect(termOf('программами')).to.equal(termOf('программа'));
    expect(termOf('сервис')).to.not.equal(termOf('сервер'));
    expect(wordForms('программа').filter((form) => readPageWords('программами').words.has(form))).to.have.length(1);
  });

  it('finds what French joins by the word alone, and as slugs join it', () => {
    const page = readPageWords("L'accessibilité");
    expect([...page.words]).to.deep.equal(['accessibilité', 'laccessibilité']);
    for (const slug of ['accessibilite', 'laccessibilite']) expect(page.terms.has(termOf(slug)), slug).to.equal(true);
    expect(searchedWords("d'accessibilité").words).to.deep.equal(['accessibilité']);
  });

  it('numbers a million terms without more collisions than chance, inside the dimensions of a sparse vector', () => {
    const ids = new Set<number>();
    for (let i = 0; i < 1_000_000; i++) ids.add(termOf(`k${i}`));
    // 1e6 draws of 1e9: about 500 pairs share a number.
    expect(ids.size).to.be.above(1_000_000 - 800);
    for (const id of ids) if (id < 1 || id > MAX_TERM_ID) throw new Error(`${id} is outside`);
  });

  it('covers between nothing and everything of a question', () => {
    const page = pageTerms('Descale the boiler with citric acid. Descaling takes ten minutes.');
    expect(score(ask('unrelated words'), page)).to.equal(0);
    const all = score(ask('descale boiler'), page);
    expect(all).to.be.within(0.5, 1);
    expect(score(ask('descale turbine'), page)).to.be.within(0.2, all);
  });

  it('lets a word at the beginning of a page count for more than one at its end', () => {
    const filler = 'lorem ipsum dolor sit amet '.repeat(60);
    expect(score(ask('warranty'), pageTerms(`Warranty. ${filler}`))).to.be.above(
      2 * score(ask('warranty'), pageTerms(`${filler} Warranty.`)),
    );
  });

  it('lets a short page with a word go before a long one with it', () => {
    expect(score(ask('nib'), pageTerms('A steel nib.'))).to.be.above(
      score(ask('nib'), pageTerms(`A steel nib. ${'More text about pens. '.repeat(500)}`)),
    );
  });

  it('finds codes exactly, however they are written, and does not miss those that the site lacks', () => {
    const page = pageTerms('If the display shows E-17, the pump is blocked.');
    expect(score(ask('E17'), page)).to.be.above(0.3);
    expect(score(ask('E18'), page)).to.equal(0);
    expect(score(ask('error E-17'), page)).to.be.above(score(ask('error E-18'), page));
    expect(ask('pump AB-99', () => false).size).to.equal(3);
    expect(ask('pump AB-99').size).to.equal(4);
  });

  it('finds the page that begins with the version that is asked for, not one that speaks of it', () => {
    const versions = ['6.0', '6.1', '6.2'].map((version) => `See NuGet ${version} for its release notes.`).join(' ');
    const list = `${'What is new and what was mended. '.repeat(4)}${versions}`;
    const releases = ['6.0', '6.1'].map((version) => pageTerms(`NuGet ${version} Release Notes\n\n${list}`));
    const [matchingScore = 0, other = 0] = releases.map((page) => score(ask('release notes of NuGet 6.0'), page));
    expect(matchingScore).to.be.above(1.2 * other);
    expect(matchingScore).to.be.above(
      1.2 * score(ask('release notes of NuGet 6.0'), pageTerms(`NuGet releases\n\n${list}`)),
    );
  });

  it('makes no code of what is left of one where the first characters end', () => {
    const { words } = readPageWords(`${'pens '.repeat(19)}v 3.4.1 is out.`);
    expect(words.has('3.4.1')).to.equal(true);
    expect(words.has('3.4')).to.equal(false);
  });

  it('weighs a word less the more pages have it, and an unknown one 1', () => {
    expect(termWeight(0, 1000)).to.be.closeTo(1, 1e-9);
    expect(termWeight(10, 1000)).to.be.within(0.5, 0.9);
    expect(termWeight(1000, 1000)).to.be.below(0.01);
    expect(termWeight(5, 3)).to.be.within(0, 1);
  });

  it('reads a path in words of any script', () => {
    expect(pathTerms(['使用说明', 'a', 'docker', 'docker'])).to.deep.equal(['使用', '用说', '说明', 'docker']);
  });

  it('takes at most 64 words of a question', () => {
    expect(searchedWords(Array.from({ length: 500 }, (_, i) => `word${i}`).join(' ')).words).to.have.length(64);
  });
});
