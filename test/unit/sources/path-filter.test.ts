import { expect } from 'chai';
import { ApiError } from '#src/base/errors.js';
import { createPathFilter, ExclusionProposals, parsePatterns } from '#src/sources/path-filter.js';

const SITE = 'https://shop.example';

describe('the paths that a source is read for', () => {
  it('match patterns whole, with their query strings; a star is any text, and what is excluded wins', () => {
    const reasonOf = createPathFilter({ include: ['/help/*', '/'], exclude: ['*/tags/*', '*?*print=*', '/help/old'] });
    const read = [
      '/help/a',
      '/',
      '/help/older',
      '/help/a?x=1',
      '/help/tags',
      '/shop/tea',
      '/help/tags/a',
      '/help/a?x=1&print=1',
      '/help/old',
    ];
    expect(read.filter((path) => reasonOf(SITE + path) === undefined)).to.deep.equal(read.slice(0, 5));
    expect(reasonOf(`${SITE}/help/tags/a`)).to.equal('left out by the pattern */tags/*');
    expect(reasonOf(`${SITE}/shop/tea`)).to.equal('no pattern includes it');
    expect(createPathFilter({ include: [], exclude: ['/a*b*b'] })('/ab')).to.equal(undefined);
  });

  it('are refused by their field where they are no patterns of paths', () => {
    expect(parsePatterns(' /tags/*, *?print=*\n/tags/* ', 'exclude')).to.deep.equal(['/tags/*', '*?print=*']);
    for (const text of [
      'tags',
      'https://shop.example/tags/*',
      `/${'a'.repeat(300)}`,
      '/a '.repeat(1) + Array.from({ length: 51 }, (_, at) => `/${at}`).join(' '),
    ])
      expect(() => parsePatterns(text, 'exclude'), text.slice(0, 20))
        .to.throw(ApiError)
        .with.property('param', 'exclude');
  });

  it('are proposed to be left out by kind: tags, numbered lists, print views; not what is seldom, nor a page of that name', () => {
    const proposals = new ExclusionProposals();
    const many = (path: string, count: number): void => {
      for (let at = 1; at <= count; at++) proposals.add(`${SITE}${path.replace('N', String(at))}`);
    };
    many('/blog/tags/tea-N/', 190);
    many('/blog/page/N', 7);
    many('/guides/N?print=1', 4);
    many('/author/ann-N', 2);
    many('/guides/search-N', 9);
    proposals.add(`${SITE}/tags`);
    expect(proposals.list()).to.deep.equal([
      { pattern: '/blog/tags/*', count: 190 },
      { pattern: '*/page/*', count: 7 },
      { pattern: '*print=*', count: 4 },
    ]);
  });
});
