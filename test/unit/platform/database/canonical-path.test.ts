import { expect } from 'chai';
import { canonicalPath } from '#src/platform/database/path-spellings.js';
import { spent } from '../../../support/growth.js';

describe('the canonical form of a path', () => {
  it('is one for all spellings of a path', () => {
    for (const [path, spellings] of Object.entries({
      '/u/ann@example.org': [
        '/u/ann%40example.org?token=77',
        '/U/Ann@Example.org#top',
        'https://shop.example:8443/u/ann%40example.org/',
        '//u//ann%40example%2eorg',
        '/u/./x/../ann%40example.org',
        'u\\ann@example.org',
      ],
      '/u/carl': [
        '/u/%63arl',
        '/u/%43arl',
        '/u/%2563arl',
        '/%75%2f%63%61%72%6C',
        '/u/%25%36%33arl',
        '/u/carl\n',
        '/u/carl ',
        '/u/carl%20',
        '/u/carl%20/',
        '/u%20/carl',
      ],
      '/u/emil x': ['/u/emil%20x', '/u/emil%2520x', '/u/emil%2525252525252520x'],
      '/u/gréta': ['/u/gre%CC%81ta', '/u/gr%C3%A9ta', '/u/gr%c3%a9ta', '/u/GRÉTA', '/u/GRE\u0301TA', '/u/gr%E9ta'],
      '/u/dora+news': ['/u/dora%2Bnews', '/u/dora%2bnews'],
      '/': ['', '//', '?a=1', 'https://shop.example'],
    }))
      for (const spelling of spellings) expect(canonicalPath(spelling), spelling).to.equal(canonicalPath(path));
  });

  it('tells paths apart that a visitor would not take for one', () => {
    const paths = ['/a-b', '/a_b', '/a b', '/a+b', '/a.html', '/a', '/a/index.html', '/news/page/2', '/a%3Fb', '/a/b'];
    expect(new Set(paths.map(canonicalPath)).size).to.equal(paths.length);
  });

  it('takes no longer than a path is long, however deeply it is nested', () => {
    const began = process.cpuUsage();
    for (const unit of ['%25', '%2%35', '%%32%35', '%%%33%32%%33%35', '%e4', '/..'])
      for (const text of [`/${unit.repeat(20_000)}`, `/${'%'.repeat(20_000)}${'25'.repeat(20_000)}`])
        canonicalPath(text);
    expect(spent(began)).to.be.below(5_000);
  });
});
