import { expect } from 'chai';
import { parseSiteSearch } from '#src/search/dead-urls/site-search.js';

describe("the address of a site's own search", () => {
  it('is a path or an http(s) url that ends where the words begin', () => {
    expect(parseSiteSearch('/search?q=')).to.deep.equal({ action: '/search', name: 'q', hidden: [], source: "'self'" });
    expect(parseSiteSearch('https://www.example.com/suche/?lang=de&s=')).to.deep.equal({
      action: 'https://www.example.com/suche/',
      name: 's',
      hidden: [['lang', 'de']],
      source: 'https://www.example.com',
    });
  });

  it('is nothing else', () => {
    const none = ['', 'search?q=', '/search', '/search?q=tea', '/search?=', '//host/?q=', '/\\host/?q='];
    for (const address of [
      ...none,
      'javascript:alert(1)?q=',
      'https://?q=',
      '/search?q=#',
      '/a b?q=',
      `/${'a'.repeat(3000)}?q=`,
    ])
      expect(parseSiteSearch(address), address).to.equal(undefined);
  });
});
