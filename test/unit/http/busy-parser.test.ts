import { expect } from 'chai';
import { parseExclusion, parsePageUrl, parseUrl } from '#src/text/page-url.js';

/** Node 20 compiles a caller after some thousand calls; its `URL.canParse` then refused letters such as these. */
const CALLS = 20_000;

describe('urls with letters of Western Europe', () => {
  it('are taken by a process that has parsed many of them', () => {
    for (let i = 0; i < CALLS; i++) {
      expect(parsePageUrl('https://bücher.example/straße')?.href).to.equal('https://xn--bcher-kva.example/stra%C3%9Fe');
      expect(parseExclusion('/straße')).to.deep.equal({ path: '/stra%C3%9Fe' });
      expect(parseUrl('http://[')).to.equal(undefined);
    }
  });
});
