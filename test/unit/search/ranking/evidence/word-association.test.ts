import { expect } from 'chai';
import { createWordAssociation, readNeighbours } from '#src/search/ranking/evidence/word-association.js';
import { readPathWord, type PathWord } from '#src/search/ranking/evidence/page-path.js';
import { termOf } from '#src/text/words/terms.js';

/** A row of a page that holds these words, as the database gives it. */
const page = (id: string, cover: number, ...words: string[]): { page_id: string; cover: number; terms: string } => ({
  page_id: id,
  cover,
  terms: words.map((word) => (termOf(word) - 1).toString(16).padStart(8, '0')).join(''),
});
const WORDS = ['aws', 'cloud', 'budget', 'page', 'bridge'];
const slug = (...words: string[]): PathWord[] => words.map(readPathWord);
const equal = (): number => 1;

describe('createWordAssociation', () => {
  const rows = [
    page('1', 2, 'aws', 'cloud', 'page'),
    page('2', 1, 'aws', 'cloud', 'budget', 'page'),
    page('3', 1, 'aws', 'page'),
  ];
  const neighbours = readNeighbours(rows, WORDS.map(termOf));
  const share = ({ word }: PathWord): number => (word === 'page' ? 1 : 0.1);
  const of = createWordAssociation(['aws'], neighbours, share, equal);

  it('ties a word to those that its pages speak of', () => {
    expect(of(slug('cloud'))).to.be.above(of(slug('budget')));
    expect(of(slug('budget'))).to.be.above(of(slug('bridge')));
    expect(of(slug('bridge'))).to.equal(0);
  });

  it('ties nothing to words that every page has', () => {
    expect(of(slug('page'))).to.equal(0);
  });

  it('is 1 for the slug itself, and shares out by weight', () => {
    expect(of(slug('aws'))).to.equal(1);
    expect(of(slug('aws', 'bridge'))).to.equal(0.5);
    expect(of(slug())).to.equal(0);
  });

  it('is 0 where no page has the dead slug', () => {
    expect(createWordAssociation(['aws'], readNeighbours([], WORDS.map(termOf)), share, equal)(slug('cloud'))).to.equal(
      0,
    );
  });

  it('counts a long page once, whose terms come in several rows', () => {
    const parts = [page('1', 2, 'aws', 'cloud'), page('1', 2, 'page'), ...rows.slice(1)];
    const whole = createWordAssociation(['aws'], readNeighbours(parts, WORDS.map(termOf)), share, equal);
    for (const word of WORDS) expect(whole(slug(word)), word).to.equal(of(slug(word)));
  });
});
