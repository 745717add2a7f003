import { join } from 'node:path';
import { expect } from 'chai';
import type { SourceFormat } from '#src/sources/source.js';
import { packageRoot } from '#src/base/package-root.js';
import { pagesOf, readAll, redirectsOf, urlsOf } from '../read-all.js';

/**
 * What the generators themselves made of these folders: Hugo 0.111.3, Jekyll 4.3.1, MkDocs 1.4.2, Sphinx 5.3.0,
 * Eleventy 3.1.8 and Docusaurus 3.10.2. `index.html` is its folder; lists of terms, pages that only redirect, and
 * unlisted ones are left out.
 */
describe("a generator's checkout", () => {
  const read = (name: string, options: { format?: SourceFormat; base?: string } = {}) =>
    readAll(join(packageRoot(), 'test/fixtures/sites', name), options);

  const at = (base: string, paths: string): string[] =>
    paths
      .split('\n')
      .map((path) => base + path.trim())
      .sort();

  it('of Hugo has the urls that Hugo gives it: bundles, slugs, permalinks, languages, no drafts', async () => {
    const items = await read('hugo');
    expect(urlsOf(items)).to.deep.equal(
      at(
        'https://hugo.example/docs',
        `/
        /2021/03/the-launch-more/
        /2021/12/short-one/
        /about/
        /bundle/
        /custom/Place.html
        /fr/about/
        /guides/
        /guides/deep/deeper/
        /guides/first-steps/
        /json/
        /odd.name-v1.2/`,
      ),
    );
    const first = 'https://hugo.example/docs/guides/first-steps/';
    expect(redirectsOf(items)).to.deep.equal([
      `https://hugo.example/docs/start/ → ${first}`,
      `https://hugo.example/docs/guides/old-steps → ${first}`,
      `https://hugo.example/docs/begin/ → ${first}`,
      '/very/old → /docs/about/',
    ]);
    const page = pagesOf(items).find(({ url }) => url === first);
    expect(page).to.deep.equal({ url: first, title: 'First steps', content: 'First\n\nMind the gap.', metadata: {} });
  });

  it('of Jekyll has the urls that Jekyll gives it: posts, collections, defaults, no drafts and nothing of the future', async () => {
    const items = await read('jekyll');
    expect(urlsOf(items)).to.deep.equal(
      at(
        'https://jekyll.example/site',
        `/
        /2020/02/My-Slug!/
        /about/
        /alpha/beta/2020/05/string/
        /blog/2019/01/in-blog/
        /cook/apple-pie/
        /guides/index/
        /guides/start/
        /guides/sub/Two Words/
        /help/
        /help/faq/
        /moved/here.html
        /news/big things/2020/02/Hello-World/`,
      ),
    );
    expect(redirectsOf(items)).to.deep.equal([
      'https://jekyll.example/site/about-us/ → https://jekyll.example/site/about/',
      'https://jekyll.example/site/who.html → https://jekyll.example/site/about/',
      'https://jekyll.example/site/gone/ → https://elsewhere.example/x',
    ]);
  });

  it('of MkDocs has the urls that MkDocs gives it', async () => {
    const items = await read('mkdocs');
    expect(urlsOf(items)).to.deep.equal(
      at(
        'https://mk.example/m',
        `/
        /about/
        /guide/
        /guide/Two Words/
        /guide/deep/
        /readme2/readme/
        /upper/INDEX/`,
      ),
    );
    expect(pagesOf(items).find(({ title }) => title === 'Two')?.content).to.equal('Two\n\nMind\n    The gap.');
    expect(pagesOf(items).find(({ title }) => title === 'About')?.metadata).to.deep.equal({ tags: ['a'] });
  });

  it('of Sphinx has the urls of its builder html, or of dirhtml where that is asked for', async () => {
    expect(urlsOf(await read('sphinx'))).to.deep.equal(
      at(
        'https://sp.example/en',
        `/
        /guide/
        /guide/two words.html
        /intro.html
        /notes.html`,
      ),
    );
    expect(urlsOf(await read('sphinx', { format: 'sphinx-dirhtml' }))).to.deep.equal(
      at(
        'https://sp.example/en',
        `/
        /guide/
        /guide/two words/
        /intro/
        /notes/`,
      ),
    );
  });

  it('of Eleventy has the urls that Eleventy gives it: data of folders, permalinks, doubled names', async () => {
    const items = await read('eleventy', { base: 'https://el.example' });
    expect(urlsOf(items)).to.deep.equal(
      at(
        'https://el.example',
        `/
        /2020-03-04-dated/
        /README/
        /about/
        /blog/first/
        /docs/
        /docs/Two Words/
        /docs/a/
        /list/
        /page/
        /x/second.html`,
      ),
    );
    expect(redirectsOf(items)).to.deep.equal(['https://el.example/who/ → https://el.example/about/']);
  });

  it('of Docusaurus has the urls that Docusaurus gives it: numbered names, ids, slugs, dated posts, redirects', async () => {
    const items = await read('docusaurus');
    expect(urlsOf(items)).to.deep.equal(
      at(
        'https://docu.example/d',
        `/
        /about
        /handbook/2021-05-x
        /handbook/7.0-foo
        /handbook/Upper Case
        /handbook/api/
        /handbook/guides/
        /handbook/guides/first-steps
        /handbook/guides/nice
        /handbook/intro
        /handbook/top/abs
        /news/2021/02/03/hello
        /news/2021/02/04/folder
        /news/2021/03/05/deep
        /news/my-slug
        /news/nodate
        /team/
        /we/join`,
      ),
    );
    expect(redirectsOf(items)).to.deep.equal([
      'https://docu.example/d/old → https://docu.example/d/handbook/intro',
      'https://docu.example/d/a → https://docu.example/d/about',
      'https://docu.example/d/b → https://docu.example/d/about',
    ]);
    expect(pagesOf(items).find(({ title }) => title === 'Intro')?.content).to.equal('Mind\n\nThe gap.\n\nText a < b.');
  });
});
