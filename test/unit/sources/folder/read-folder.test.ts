import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { OperatorError } from '#src/base/errors.js';
import { LeftOut } from '#src/sources/source.js';
import { pagesOf, readAll, redirectsOf, refusedOf, urlsOf, writeFiles } from '../read-all.js';

const BASE = 'https://www.example.com/';
const LONG = 'Everything about it, and what belongs to it. '.repeat(8);
const page = (head: string, words: string, text = LONG, links = ''): string =>
  `<!doctype html><html lang=en><head><meta charset=utf-8>${head}<title>${words}</title></head><body><main><h1>${words}</h1><p>About ${words}. ${text}</p></main>${links}</body></html>`;
const refresh = (content: string): string =>
  `<!doctype html><html><head><title>Redirecting</title><meta http-equiv="Refresh" content="${content}"></head><body>x</body></html>`;
const canonical = (href: string): string => `<link rel=canonical href="${href}">`;
const sitemap = (...urls: string[]): string =>
  `<urlset>${urls.map((url) => `<url><loc>${url}</loc></url>`).join('')}</urlset>`;

describe('a built folder', () => {
  let folder: string;
  let leftOut: LeftOut;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pathmend-site-'));
    leftOut = new LeftOut();
  });
  afterEach(() => rm(folder, { recursive: true }));

  const read = async (files: Record<string, string>, base = BASE) => {
    await writeFiles(folder, files);
    return readAll(folder, { base, leftOut });
  };
  const failure = (options: { base?: string } = { base: BASE }): Promise<unknown> =>
    readAll(folder, options).catch((error: unknown) => error);

  /** Lists the files that are left out, by reason. */
  const listed = (): Record<string, string[]> =>
    Object.fromEntries(leftOut.list().map(({ reason, first }) => [reason, first.map(({ where }) => where)]));

  it('has the urls of its canonical links, where they name the same file', async () => {
    const items = await read(
      {
        'index.html': page(canonical('https://www.example.com/docs/index.html'), 'Home'),
        'about.html': page(canonical('/docs/about'), 'About'),
        'team/index.html': page(canonical('http://www.example.com/docs/team'), 'Team'),
        // Sphinx 5 writes this into its folders, where there is no such file.
        'intro/index.html': page(canonical('/docs/intro.html'), 'Intro'),
        'copy.html': page(canonical('https://other.example/docs/copy'), 'Copy of another site'),
        'two words/50% off?#.html': page('', 'Half price'),
        // A server decodes a url, and then looks for the file.
        'a\\b%20c.html': page('', 'Encoded'),
        '.git/x.html': page('', 'Hidden'),
        'node_modules/a/x.html': page('', 'Installed'),
      },
      `${BASE}docs`,
    );
    const paths = [
      '',
      'a%5Cb%2520c.html',
      'about',
      'copy.html',
      'intro/',
      'team',
      'two%20words/50%25%20off%3F%23.html',
    ];
    expect(
      pagesOf(items)
        .map(({ url }) => url)
        .sort(),
    ).to.deep.equal(paths.map((path) => `${BASE}docs/${path}`));
  });

  it('has the home page of the base where a template wrote two slashes into its canonical link', async () => {
    const items = await read({ 'index.html': page(canonical('https://www.example.com//'), 'Home') });
    expect(urlsOf(items)).to.deep.equal([BASE]);
    const below = await read({ 'index.html': page(canonical(`${BASE}docs//`), 'Docs') }, `${BASE}docs`);
    expect(urlsOf(below)).to.deep.equal([`${BASE}docs/`]);
  });

  it('has the urls of its sitemap; else those that most of its links have', async () => {
    const files = {
      'index.html': page('', 'Home', LONG, '<a href=/help>Help</a> <a href="shop#top">Shop</a> <a href=b.html>B</a>'),
      'help.html': page('', 'Help'),
      'shop.html': page('', 'Shop'),
      'b.html': page('', 'B'),
    };
    expect(urlsOf(await read(files))).to.deep.equal(['', 'b', 'help', 'shop'].map((path) => BASE + path));
    const maps = {
      'sitemap.xml': '<sitemapindex><sitemap><loc>http://www.example.com/maps/a%201.xml</loc></sitemap></sitemapindex>',
      'maps/a 1.xml': sitemap(`${BASE}b.html`, 'https://elsewhere.example/shop.html'),
    };
    expect(urlsOf(await read(maps))).to.deep.equal(['', 'b.html', 'help', 'shop'].map((path) => BASE + path));
    const broken = await read({ 'sitemap.xml': '<urlset><url>' });
    expect(refusedOf(broken)).to.deep.equal(['sitemap.xml: it ends before </urlset>']);
    expect(pagesOf(broken)).to.have.length(4);
  });

  it('keeps one of two pages that name each other as canonical, and names the other', async () => {
    const items = await read({
      'index.html': page('', 'Home'),
      'a/index.html': page(canonical('/b/'), 'Wheels'),
      'b/index.html': page(canonical('/a/'), 'Lamps'),
    });
    expect(urlsOf(items)).to.deep.equal([BASE, `${BASE}b/`]);
    expect(leftOut.lines('files')).to.deep.equal([
      '1 file left out: another url is canonical',
      `  a/index.html (${BASE}b/ instead)`,
    ]);
  });

  it('keeps a page whose canonical url is not there, and one that others lead to by a chain', async () => {
    const items = await read({
      'a.html': page(canonical('/missing.html'), 'Wheels'),
      'b.html': page(canonical('/c.html'), 'Lamps'),
      'c.html': page(canonical('/d.html'), 'Bells'),
      'd.html': page(canonical('/b.html'), 'Brakes'),
      'print/e.html': page(canonical('/e.html'), 'Tyres'),
      'e.html': page('', 'Tyres'),
      'hidden.html': page('<meta name=robots content=noindex>', 'Hidden'),
      'shown.html': page(canonical('/hidden.html'), 'Shown'),
    });
    expect(urlsOf(items)).to.deep.equal(['a', 'd', 'e', 'shown'].map((name) => `${BASE}${name}.html`));
    expect(listed()).to.deep.equal({
      noindex: ['hidden.html'],
      'another url is canonical': ['c.html', 'b.html', 'print/e.html'],
    });
  });

  it('has redirects where a page only leads on, however that is written', async () => {
    const leads: Record<string, string> = {
      plain: '0; url=/new/',
      quoted: "0;URL='/new/'",
      relative: '0;URL=../new/',
      late: '5 ; Url = &quot;/new/&quot;',
      entities: '0;url=&#x2F;new&#47;',
      bare: '0;/new/',
      comma: '1.5, url=/new/#top',
      whole: `0;url=${BASE}new/`,
      'w/:word': '0;url=/new/',
      'w/*': '0;url=/new/',
    };
    const items = await read({
      'new/index.html': page('', 'New'),
      'same/index.html': page('<meta http-equiv=refresh content="300">', 'Same'),
      'itself/index.html': page('<meta http-equiv=refresh content="60; url=/itself/">', 'Itself'),
      // Somebody is to read it first.
      'read/index.html': page('<meta http-equiv=refresh content="30;url=/new/">', 'Read'),
      'unscripted/index.html': page(
        '<noscript><meta http-equiv=refresh content="0;url=/new/"></noscript>',
        'Unscripted',
      ),
      'commented/index.html': page('<!-- <meta http-equiv=refresh content="0;url=/new/"> -->', 'Commented'),
      ...Object.fromEntries(Object.entries(leads).map(([name, content]) => [`${name}/index.html`, refresh(content)])),
      'fragment.html': '<meta http-equiv=refresh content="0;url=/new/">',
      // A script leads on.
      'script.html': `${canonical('/new/')}<script>location = '/new/'</script><title>Moved</title>`,
    });
    const old = [...Object.keys(leads).map((name) => `${name}/`), 'fragment.html', 'script.html'].sort();
    expect(redirectsOf(items).sort()).to.deep.equal(old.map((name) => `${BASE}${name} → ${BASE}new/`));
    expect(urlsOf(items)).to.deep.equal(
      ['commented', 'itself', 'new', 'read', 'same', 'unscripted'].map((name) => `${BASE}${name}/`),
    );
  });

  it('leaves out the page for missing ones, and names it below the root; names what has noindex, up to twenty of each reason', async () => {
    const hidden = page('<meta name=robots content=noindex>', 'Hidden');
    const items = await read({
      'index.html': page('', 'Home'),
      '404.html': page('', 'Nothing here'),
      'fr/404.html': page('', 'Rien'),
      ...Object.fromEntries(Array.from({ length: 23 }, (_, at) => [`d${at}.html`, hidden])),
    });
    expect(urlsOf(items)).to.deep.equal([BASE]);
    const lines = leftOut.lines('files');
    expect(lines.splice(0, 2)).to.deep.equal([
      '1 file left out: 404.html is the page for missing pages',
      '  fr/404.html',
    ]);
    expect([lines[0], lines.length, lines.at(-1)]).to.deep.equal(['23 files left out: noindex', 22, '  and 3 more']);
  });

  it('refuses a page without text, with front matter or nested without end, by name', async () => {
    const items = await read({
      'index.html': page('', 'Home'),
      'empty.html': '<html><body><script>draw()</script></body></html>',
      'layout.html': '---\nlayout: page\n---\n<p>{{ content }}</p>',
      'nested.html': '<b>'.repeat(1_000),
    });
    expect(urlsOf(items)).to.deep.equal([BASE]);
    expect(refusedOf(items)).to.deep.equal([
      `${BASE}empty.html: empty.html has no text`,
      `${BASE}layout.html: layout.html begins with front matter: it is a source, not a built page`,
      `${BASE}nested.html: nested.html cannot be read: its elements are nested more than 512 levels deep`,
    ]);
  });

  it('is read in spite of a file that cannot be opened, which is refused by name', async () => {
    await writeFiles(folder, { 'index.html': page('', 'Home') });
    await writeFile(Buffer.from(`${folder}/caf\xe9.html`, 'latin1'), page('', 'Café'));
    const items = await readAll(folder, { base: BASE });
    expect(urlsOf(items)).to.deep.equal([BASE]);
    expect(refusedOf(items)).to.deep.equal([
      `${BASE}caf%EF%BF%BD.html: caf\uFFFD.html cannot be read: its name is not UTF-8`,
    ]);
  });

  it('is read without its symbolic links; each that could be a page or a folder of pages is named', async () => {
    await writeFiles(folder, { 'secret/passwords.html': page('', 'Passwords') });
    const site = join(folder, 'site');
    await writeFiles(site, { 'index.html': page('', 'Home') });
    await symlink(join(folder, 'secret'), join(site, 'inside'));
    await symlink(join(folder, 'secret/passwords.html'), join(site, 'page.html'));
    await symlink(join(folder, 'secret/passwords.html'), join(site, '_redirects'));
    await symlink('/nowhere', join(site, 'logo.png'));
    const items = await readAll(site, { base: BASE });
    expect(urlsOf(items)).to.deep.equal([BASE]);
    expect(refusedOf(items)).to.deep.equal(
      ['inside', 'page.html'].map(
        (path) => `${path}: is a symbolic link: it may lead out of the folder, and is not followed`,
      ),
    );
  });

  it('is not waited for where it has a pipe in place of a file', async () => {
    await writeFiles(folder, { 'index.html': page('', 'Home') });
    for (const name of ['_redirects', 'sitemap.xml', 'netlify.toml', 'a.html'])
      execFileSync('mkfifo', [join(folder, name)]);
    expect(urlsOf(await readAll(folder, { base: BASE }))).to.deep.equal([BASE]);
  });

  const sources: Record<string, Record<string, string>> = {
    'hugo.toml': { 'hugo.toml': '', 'content/a.md': '# A', 'layouts/a.html': '<p>{{ .Content }}' },
    'config.yaml': { 'config.yaml': '', 'content/a.md': '# A', 'layouts/a.html': '<p>' },
    '_config.yml': { '_config.yml': '', 'index.html': page('', 'Home') },
    'docusaurus.config.ts': { 'docusaurus.config.ts': '', 'guides/a.md': '# A' },
    'mkdocs.yml': { 'mkdocs.yml': '', 'guides/a.md': '# A' },
    '.eleventy.js': { '.eleventy.js': '', 'a.html': '<p>' },
    'docs/conf.py': { 'docs/conf.py': '', 'docs/_templates/a.html': '<p>' },
  };
  for (const [configuration, files] of Object.entries(sources))
    it(`is refused where it has the sources of a site: ${configuration}`, async () => {
      await writeFiles(folder, files);
      const error = await failure();
      expect(error).to.be.instanceOf(OperatorError);
      expect(String(error)).to.include(`the sources of a site (${configuration}), not its pages. Build the site, and`);
      await writeFiles(folder, { '_site/index.html': page('', 'Home') });
      expect(String(await failure())).to.include(`Sync the folder that was built: ${join(folder, '_site')}.`);
    });

  it('is refused where it has no home page, but a folder with one that a generator of any kind built', async () => {
    await writeFiles(folder, {
      'package.json': '{}',
      'src/a.html': page('', 'A'),
      'dist/index.html': page('', 'Home'),
    });
    expect(String(await failure())).to.include(
      `has no index.html. Sync the folder that was built: ${join(folder, 'dist')}.`,
    );
  });

  it('is refused where it has Markdown, reStructuredText or nothing, but no HTML; and without --base', async () => {
    expect(String(await failure())).to.include('has no HTML file. Build the site');
    for (const name of ['a.md', 'help/a.rst']) {
      await writeFiles(folder, { [name]: 'A\n=\n' });
      expect(String(await failure())).to.include(`has sources of pages (${name}), but no HTML file. Build the site`);
      await rm(join(folder, name));
    }
    await writeFiles(folder, { 'index.html': page('', 'Home'), 'index.md': '# Home' });
    expect(String(await failure({}))).to.include('give --base');
    expect(urlsOf(await readAll(folder, { base: BASE }))).to.deep.equal([BASE]);
  });
});
