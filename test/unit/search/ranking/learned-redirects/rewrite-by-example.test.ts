import { expect } from 'chai';
import {
  rewriteByExample,
  readTokenPath,
  type TokenPath,
} from '#src/search/ranking/learned-redirects/rewrite-by-example.js';
import { plainSegments } from '#src/text/paths/plain-path.js';

const read = (path: string): TokenPath => readTokenPath(plainSegments(path));

/** Whether a dead path becomes the live one when it is rewritten as `from` was to `to`. */
function expectRewriting(from: string, to: string, dead: string, live: string): void {
  expect(rewriteByExample(read(from), read(to), read(dead))).to.equal(read(live).key);
}

describe('rewriting a dead path as a redirect rewrote another', () => {
  const kinds: [string, string, string, string, string][] = [
    ['moves it to another section', '/manual/pens', '/docs/pens', '/manual/ink', '/docs/ink'],
    ['drops a segment', '/shop/en/pens', '/shop/pens', '/shop/en/ink', '/shop/ink'],
    ['inserts a segment', '/blog/pens', '/blog/posts/pens', '/blog/ink', '/blog/posts/ink'],
    ['swaps segments', '/pens/help/filling', '/help/pens/filling', '/ink/help/filling', '/help/ink/filling'],
    ['adds words before', '/releases/2.0.11', '/tools/release-2.0.11', '/releases/3.1.4', '/tools/release-3.1.4'],
    ['adds words after', '/news/pens', '/news/pens-archived', '/news/blue-ink', '/news/blue-ink-archived'],
    ['drops words', '/faq/how-to-fill-pens', '/help/fill-pens', '/faq/how-to-clean-nibs', '/help/clean-nibs'],
    ['replaces words between others', '/pens-for-kids-1', '/pen-children-1', '/pens-for-kids-2', '/pen-children-2'],
    ['replaces a word beside the one that differs', '/ps-get', '/powershell/get', '/ps-set', '/powershell/set'],
    ['rewrites a part of a word', '/api/onkeydown', '/events/keydown_event', '/api/onclick', '/events/click_event'],
    ['writes other separators', '/a_b/my_pens', '/x/my-pens', '/a_b/your.ink', '/x/your-ink'],
    ['splits words written as one', '/wiki/FountainPens', '/docs/fountain-pens', '/wiki/BlueInk', '/docs/blue-ink'],
    ['drops an extension', '/old/pens.html', '/new/pens/', '/old/ink.html', '/new/ink'],
    ['joins segments', '/blog/a/pens', '/blog/a-pens', '/blog/b/ink', '/blog/b-ink'],
    ['takes a date apart', '/news/2016-12-14-pens', '/2016/12/14/pens', '/news/2017-03-02-ink', '/2017/03/02/ink'],
    ['pads a date with zeros', '/n/2016/1/5/pens', '/2016-01-05-pens', '/n/2017/3/2/ink', '/2017-03-02-ink'],
    ['reads a compact date', '/n/20161214-pens', '/2016/12/14/pens', '/n/20170302-ink', '/2017/03/02/ink'],
    ['names a month', '/2016/12/pens', '/2016/december/pens', '/2017/03/ink', '/2017/march/ink'],
    ['reads a month', '/14-dec-2016/pens', '/2016/12/14/pens', '/02-mar-2017/ink', '/2017/03/02/ink'],
    ['turns a date around', '/n/14-12-2016', '/2016/12/14/n', '/n/02-03-2017', '/2017/03/02/n'],
    ['keeps equal day and month apart', '/n/2016-11-11', '/2016/11/11', '/n/2017-03-02', '/2017/03/02'],
    ['drops a number', '/item/4711-pens', '/shop/pens', '/item/815-ink', '/shop/ink'],
    ['drops a date', '/news/2016-12-14-pens', '/news/pens', '/news/2017-03-02-ink', '/news/ink'],
    ['replaces all that is the same', '/v3/pens', '/docs/3/v3-pens', '/v4/pens', '/docs/4/v4-pens'],
    ['finds where words were only added', '/v3/docs/pens', '/pens/v3/docs', '/v3/docs/pens/ink', '/pens/ink/v3/docs'],
  ];
  for (const [name, from, to, dead, live] of kinds)
    it(name, () => {
      expectRewriting(from, to, dead, live);
    });

  const none: [string, string, string, string][] = [
    ['the new path has nothing of what differs', '/faq/lost-key', '/account', '/faq/lost-telephone'],
    ['a part of what differs is lost', '/a/pens/filling', '/docs/filling', '/b/ink/drying'],
    ['only numbers differ, and they are lost', '/v3/pens', '/docs/pens', '/v4/pens'],
    ['both old paths are the same', '/a/pens', '/docs/pens', '/a/pens.html'],
    ['what differs overlaps in the new path', '/ab/b/c', '/x-ab-c', '/yz/z-ab/d'],
  ];
  for (const [name, from, to, dead] of none)
    it(`shows nothing where ${name}`, () => {
      expect(rewriteByExample(read(from), read(to), read(dead))).to.equal(undefined);
    });

  it('compares no paths of more than 64 words', () => {
    const path = (word: string, words: number): TokenPath => read(`/s/${'a-'.repeat(words - 2)}${word}`);
    expect(rewriteByExample(path('x', 64), path('x', 64), path('y', 64))).to.equal(path('y', 64).key);
    expect(rewriteByExample(path('x', 65), path('x', 65), path('y', 65))).to.equal(undefined);
  });

  it('has a key or nothing for any paths', () => {
    const paths = ['/', '/a', '/1', '/-', '/%e0%a4%a', `/${'9'.repeat(300)}`, '/中文/ページ-3', '/x'.repeat(80)].map(
      read,
    );
    for (const from of paths)
      for (const to of paths)
        for (const dead of paths) expect(typeof rewriteByExample(from, to, dead)).to.be.oneOf(['string', 'undefined']);
  });
});
