import { expect } from 'chai';
import { findLostPages } from '#src/rule-formats/lost-pages.js';
import { RedirectFile } from '#src/rule-formats/read/redirect-file.js';

describe('pages that vanish between two builds of a site', () => {
  it('are not lost where a pattern leads to a page', () => {
    const file = new RedirectFile('_redirects');
    const rules = ['/p-:id /shop/:id', '/q-:id /nowhere/:id'].flatMap((line) => file.push(line));
    const before = new Set(['p-7.html', 'q-7.html', 'r-7.html']);
    const lost = findLostPages(before, new Set(['shop/7.html']), [{ rules, isOfServer: false }]);
    expect(lost.map(({ path, problem }) => `${path} ${problem}`)).to.deep.equal([
      '/q-7.html redirects to /nowhere/7.html, which is no page either',
      '/r-7.html no redirect',
    ]);
  });
});
