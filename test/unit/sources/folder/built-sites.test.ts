import { join } from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '#src/base/package-root.js';
import { LeftOut } from '#src/sources/source.js';
import { pagesOf, readAll, redirectsOf, refusedOf } from '../read-all.js';

const BASE = 'https://www.example.com';
const TYRE = 'Take the wheel out, lever the tyre off, find the hole in the inner tube and patch it.';
/** Words of the themes, which no page may have. */
const THEME_WORDS = /Imprint of the theme|Skip to main content|Built with|Table of Contents|Quick search|Next »/i;

interface BuiltSite {
  /** Titles by path. */
  pages: Record<string, string>;
  redirects: string[];
}

const HOME = 'The bicycle shop';
const SITES: Record<string, BuiltSite> = {
  hugo: {
    pages: {
      '/': HOME,
      '/about/': 'About us',
      '/guides/': 'Guides',
      '/guides/2024/brakes/': 'Adjust squeaking brakes',
      '/guides/2024/flat-tyre/': 'Mend a flat tyre',
    },
    redirects: [`${BASE}/old-tyres/ → ${BASE}/guides/2024/flat-tyre/`, '/brake-pads → /guides/2024/brakes/'],
  },
  jekyll: {
    pages: {
      '/': HOME,
      // The file is about.html.
      '/about': 'About us',
      '/guides/2024/03/05/flat-tyre.html': 'Mend a flat tyre',
      '/guides/2024/03/09/brakes.html': 'Adjust squeaking brakes',
    },
    redirects: [
      `${BASE}/old-tyres.html → ${BASE}/guides/2024/03/05/flat-tyre.html`,
      `${BASE}/shop/ → https://shop.example.com/`,
    ],
  },
  eleventy: {
    pages: {
      '/': HOME,
      '/about/': 'About us',
      '/guides/2024-03-05-flat-tyre/': 'Mend a flat tyre',
      '/guides/brakes.html': 'Adjust squeaking brakes',
    },
    redirects: ['/brake-pads → /guides/brakes.html', '/old-tyres → /guides/2024-03-05-flat-tyre/'],
  },
  docusaurus: {
    pages: {
      '/': HOME,
      '/about': 'About us',
      '/blog': 'Blog | The bicycle shop',
      '/blog/brakes': 'Adjust squeaking brakes',
      '/blog/tags': 'Tags',
      '/docs/guides/flat-tyre': 'Mend a flat tyre',
    },
    redirects: [`${BASE}/old-tyres/ → ${BASE}/docs/guides/flat-tyre`],
  },
  mkdocs: {
    pages: {
      '/': HOME,
      '/about/': 'About us',
      '/guides/brakes/': 'Adjust squeaking brakes',
      '/guides/flat-tyre/': 'Mend a flat tyre',
    },
    redirects: [`${BASE}/old-tyres/ → ${BASE}/guides/flat-tyre/`],
  },
  sphinx: {
    pages: {
      '/': HOME,
      '/about.html': 'About us',
      '/genindex.html': 'Index',
      '/guides/brakes.html': 'Adjust squeaking brakes',
      '/guides/flat-tyre.html': 'Mend a flat tyre',
      '/search.html': 'Search',
    },
    redirects: [`${BASE}/old-tyres.html → ${BASE}/guides/flat-tyre.html`],
  },
};

describe('a folder that a real site generator built', () => {
  for (const [generator, { pages, redirects }] of Object.entries(SITES))
    it(`has the pages and redirects of the site: ${generator}`, async () => {
      const leftOut = new LeftOut();
      const folder = join(packageRoot(), 'test/fixtures/built', generator);
      const items = await readAll(folder, { base: BASE, leftOut });
      const titles = pagesOf(items).map(({ url, title }) => [url.slice(BASE.length), title]);
      expect(Object.fromEntries(titles)).to.deep.equal(pages);
      expect(redirectsOf(items)).to.deep.equal(redirects);
      expect([refusedOf(items), leftOut.list()]).to.deep.equal([[], []]);
      const tyre = pagesOf(items).find(({ title }) => title === 'Mend a flat tyre');
      expect(tyre)
        .to.include({ content: TYRE })
        .and.deep.include({ metadata: { language: 'en' } });
      for (const { content } of pagesOf(items)) expect(content).not.to.match(THEME_WORDS);
    });
});
