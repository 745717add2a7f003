import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { LeftOut, type SourceFormat } from '#src/sources/source.js';
import { pagesOf, readAll, redirectsOf, urlsOf, writeFiles } from '../read-all.js';

/** Where these generators keep their pages. */
const DOCS = 'docs';

const BASE = 'https://www.example.com/';
const page = (head: string, words: string): string =>
  `<!doctype html><html lang=en><head><meta charset=utf-8>${head}<title>${words}</title></head><body><main><h1>${words}</h1><p>About ${words} and what belongs to them.</p></main></body></html>`;
const refresh = (content: string): string =>
  `<!doctype html><html><head><title>Redirecting</title><meta http-equiv="Refresh" content="${content}"></head><body>x</body></html>`;
const canonical = (href: string): string => `<link rel=canonical href="${href}">`;

describe('a folder', () => {
  let folder: string;
  let leftOut: LeftOut;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pathmend-site-'));
    leftOut = new LeftOut();
  });
  afterEach(() => rm(folder, { recursive: true }));

  const read = async (files: Record<string, string>, format?: SourceFormat) => {
    await writeFiles(folder, files);
    return readAll(folder, { base: BASE, leftOut, ...(format && { format }) });
  };

  /** By reason, the files that are named. */
  const named = (): Record<string, string[]> =>
    Object.fromEntries(leftOut.list().map(({ reason, first }) => [reason, first.map(({ where }) => where)]));

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
    });
    expect(urlsOf(items)).to.deep.equal(['a', 'd', 'e'].map((name) => `${BASE}${name}.html`));
    expect(named()).to.deep.equal({ 'another url is canonical': ['c.html', 'b.html', 'print/e.html'] });
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
    };
    const items = await read({
      'new/index.html': page('', 'New'),
      'same/index.html': page('<meta http-equiv=refresh content="300">', 'Same'),
      'itself/index.html': page('<meta http-equiv=refresh content="60; url=/itself/">', 'Itself'),
      // Somebody is to read it first.
      'read/index.html': `<meta http-equiv=refresh content="30;url=/new/"><p>${'All about kettles. '.repeat(20)}</p>`,
      'unscripted/index.html': page(
        '<noscript><meta http-equiv=refresh content="0;url=/new/"></noscript>',
        'Unscripted',
      ),
      'commented/index.html': page('<!-- <meta http-equiv=refresh content="0;url=/new/"> -->', 'Commented'),
      ...Object.fromEntries(Object.entries(leads).map(([name, content]) => [`${name}/index.html`, refresh(content)])),
      'fragment.html': '<meta http-equiv=refresh content="0;url=/new/">',
    });
    const old = [...Object.keys(leads).map((name) => `${name}/`), 'fragment.html'].sort();
    expect(redirectsOf(items).sort()).to.deep.equal(old.map((name) => `${BASE}${name} → ${BASE}new/`));
    expect(urlsOf(items)).to.deep.equal(
      ['commented', 'itself', 'new', 'read', 'same', 'unscripted'].map((name) => `${BASE}${name}/`),
    );
  });

  const front = (lines: string): string => `---\n${lines}\n---\nText of the page.\n`;
  const unpublished: [format: SourceFormat, files: Record<string, string>, reasons: Record<string, string[]>][] = [
    [
      'hugo',
      {
        'content/a.md': front('draft: true'),
        'content/b.md': front('date: 2999-01-01'),
        'content/c.md': front('expiryDate: 2001-01-01'),
        'content/d.md': front('build: {render: never}'),
        'content/page.md': front('title: P'),
      },
      {
        draft: ['content/a.md'],
        'dated in the future': ['content/b.md'],
        expired: ['content/c.md'],
        'not published': ['content/d.md'],
      },
    ],
    [
      'jekyll',
      {
        '_posts/2999-01-01-a.md': front('title: A'),
        '_drafts/b.md': 'Text.\n',
        'c.md': front('published: false'),
        'page.md': front('title: P'),
      },
      { 'dated in the future': ['_posts/2999-01-01-a.md'], draft: ['_drafts/b.md'], 'not published': ['c.md'] },
    ],
    [
      'docusaurus',
      {
        [`${DOCS}/a.md`]: front('draft: true'),
        [`${DOCS}/b.md`]: front('unlisted: true'),
        [`${DOCS}/page.md`]: front('title: P'),
      },
      { draft: [`${DOCS}/a.md`], unlisted: [`${DOCS}/b.md`] },
    ],
    [
      'mkdocs',
      {
        'mkdocs.yml': 'site_name: x\ndraft_docs: |\n  drafts/\n',
        [`${DOCS}/drafts/a.md`]: 'Text.\n',
        [`${DOCS}/b.md`]: front('draft: yes'),
        [`${DOCS}/page.md`]: 'Text.\n',
      },
      { draft: [`${DOCS}/b.md`, `${DOCS}/drafts/a.md`] },
    ],
    [
      'eleventy',
      { 'a.md': front('draft: true'), 'b.md': front('permalink: false'), 'page.md': front('title: P') },
      { draft: ['a.md'], 'not published': ['b.md'] },
    ],
    [
      'markdown',
      { 'a.md': front('draft: true'), 'b.md': front('published: no'), 'page.md': front('title: P') },
      { draft: ['a.md'], 'not published': ['b.md'] },
    ],
    [
      'html',
      { 'a.html': page('<meta name=robots content=noindex>', 'A'), 'page.html': page('', 'P') },
      { noindex: ['a.html'] },
    ],
  ];
  for (const [format, files, reasons] of unpublished)
    it(`counts and names what is not published: ${format}`, async () => {
      expect(pagesOf(await read(files, format))).to.have.length(1);
      const found = named();
      for (const places of Object.values(found)) places.sort();
      expect(found).to.deep.equal(reasons);
    });

  it('names twenty of each reason and counts the rest', async () => {
    await read(Object.fromEntries(Array.from({ length: 23 }, (_, at) => [`d${at}.md`, front('draft: true')])));
    const lines = leftOut.lines('files');
    expect([lines[0], lines.length, lines.at(-1)]).to.deep.equal(['23 files left out: draft', 22, '  and 3 more']);
  });
});
