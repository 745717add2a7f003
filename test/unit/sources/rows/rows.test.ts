import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { pagesOf, readAll, redirectsOf, refusedOf, urlsOf } from '../read-all.js';

const SITE = 'https://wp.example';

function wxr(items: string, end = '</channel></rss>'): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:content="c" xmlns:wp="w" xmlns:dc="d"><channel>
<title>A site</title><link>${SITE}/blog</link><wp:wxr_version>1.2</wp:wxr_version>
<wp:base_blog_url>${SITE}/blog</wp:base_blog_url>
${items}
${end}`;
}

function item(path: string, more: Record<string, string> = {}): string {
  const fields = {
    title: '<![CDATA[Fish & chips]]>',
    link: `${SITE}/blog${path}`,
    'content:encoded': '<![CDATA[<!-- wp:paragraph --><p>Fried <b>twice</b>.</p>[gallery ids="1"]]]>',
    'wp:post_type': '<![CDATA[post]]>',
    'wp:status': '<![CDATA[publish]]>',
    ...more,
  };
  return `<item>${Object.entries(fields)
    .map(([name, value]) => `<${name}>${value}</${name}>`)
    .join('\n')}
<category domain="category" nicename="food"><![CDATA[Food]]></category></item>\n`;
}

describe('a WordPress export', () => {
  it('gives what is published, as text, with its categories, and nothing else', async () => {
    const items = await readAll('-', {
      stdin: wxr(
        item('/fish/') +
          item('/draft/', { 'wp:status': 'draft' }) +
          item('/secret/', { 'wp:post_password': 'x' }) +
          item('/pic/', { 'wp:post_type': 'attachment' }) +
          item('/about/', { 'wp:post_type': 'page', 'content:encoded': 'a &lt;b&gt;b&lt;/b&gt;' }),
      ),
    });
    expect(pagesOf(items)).to.deep.equal([
      {
        url: `${SITE}/blog/fish/`,
        title: 'Fish & chips',
        content: 'Fried twice.',
        metadata: { type: 'post', categories: ['Food'] },
      },
      {
        url: `${SITE}/blog/about/`,
        title: 'Fish & chips',
        content: 'a b',
        metadata: { type: 'page', categories: ['Food'] },
      },
    ]);
    expect(refusedOf(items)).to.deep.equal([]);
  });

  it('knows the slugs that a page had, and can be moved to another root', async () => {
    const meta =
      '</wp:status><wp:postmeta><wp:meta_key>_wp_old_slug</wp:meta_key><wp:meta_value>cod</wp:meta_value></wp:postmeta><wp:x>';
    const stdin = wxr(item('/fish/', { 'wp:status': `publish${meta}</wp:x><wp:status>publish` }));
    expect(redirectsOf(await readAll('-', { stdin }))).to.deep.equal([`${SITE}/blog/cod/ → ${SITE}/blog/fish/`]);
    expect(urlsOf(await readAll('-', { stdin, base: 'https://new.example/b' }))).to.deep.equal([
      'https://new.example/b/fish/',
    ]);
  });

  it('keeps the paragraphs of text that was written without blocks', async () => {
    const written = async (content: string): Promise<string | undefined> =>
      pagesOf(await readAll('-', { stdin: wxr(item('/p/', { 'content:encoded': `<![CDATA[${content}]]>` })) }))[0]
        ?.content;
    expect(
      await written(
        'First line\nsecond line.\r\n\r\nA <a\nhref="/x">link</a> and\n<b>more</b>.\n\n\n<ul>\n<li>One</li>\n<li>Two</li>\n</ul>\nLast.' +
          '\n<pre>a\n\nb\n</pre>\n\n<blockquote>Said.</blockquote>',
      ),
    ).to.equal('First line\nsecond line.\n\nA link and\nmore.\n\nOne\n\nTwo\n\nLast.\n\na\n\nb\n\nSaid.');
    expect(await written('<!-- wp:paragraph -->\n<p>In\nblocks.</p>\n<!-- /wp:paragraph -->')).to.equal('In blocks.');
  });

  it('that is cut off, or is none, is refused as a whole', async () => {
    const fails = async (stdin: string): Promise<string> =>
      readAll('-', { stdin }).then(
        () => 'read',
        (error: unknown) => (error as Error).message,
      );
    expect(await fails(wxr(item('/fish/'), ''))).to.include('ends early');
    expect(await fails('<html><body>x</body></html>')).to.include('no WordPress export');
  });

  it('names an item without a link by its line', async () => {
    expect(refusedOf(await readAll('-', { stdin: wxr(item('/x/', { link: '' })) }))).to.deep.equal([
      'stdin:5: link must be a full url, not ""',
    ]);
  });
});

describe('rows of pages', () => {
  it('are refused by line where they are no page, and the others are read', async () => {
    const items = await readAll('-', {
      stdin: `\uFEFF{"url": "/a", "content": "x"}\r\n[1]\n{"url\n\n{}\n`,
      base: SITE,
    });
    expect(urlsOf(items.slice(0, 1))).to.deep.equal([`${SITE}/a`]);
    expect(refusedOf(items)).to.deep.equal(['stdin:2: not a JSON object', 'stdin:3: not valid JSON']);
  });

  it('of a table need a header with url and content, and quotes that end', async () => {
    const fails = (stdin: string): Promise<string> =>
      readAll('-', { stdin, format: 'csv' }).then(
        () => 'read',
        (error: unknown) => (error as Error).message,
      );
    expect(await fails('url,title\n'))
      .to.include('stdin:1')
      .and.to.include('content is missing');
    expect(await fails('url,content\n/a,"x\n\n')).to.include('stdin:2: a quote');
    expect(await fails('url,content,a,A\n')).to.include('names a twice');
    const semicolons = await readAll('-', {
      stdin: 'URL;Content;Tag\n/a;x;t\n/b;y;z;more\n',
      format: 'csv',
      base: SITE,
    });
    expect(pagesOf(semicolons)).to.deep.equal([
      { url: `${SITE}/a`, title: null, content: 'x', metadata: { Tag: 't' } },
    ]);
    expect(refusedOf(semicolons)).to.deep.equal(['stdin:3: 4 cells, where the header has 3']);
  });

  it('that are not UTF-8 are refused as a whole', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pathmend-rows-'));
    await writeFile(join(folder, 'a.csv'), Buffer.from('url,content\n/a,caf\xe9\n', 'latin1'));
    const outcome = await readAll(join(folder, 'a.csv'), { base: SITE }).then(
      () => 'read',
      (error: unknown) => (error as Error).message,
    );
    expect(outcome).to.match(/a\.csv is not UTF-8/);
    await rm(folder, { recursive: true });
  });
});
