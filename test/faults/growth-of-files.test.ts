import { Readable } from 'node:stream';
import { expect } from 'chai';
import { readRedirect } from '#src/rule-formats/read-redirect.js';
import { RedirectFile } from '#src/rule-formats/read/redirect-file.js';
import { LeftOut } from '#src/sources/source.js';
import { htmlText } from '#src/sources/html/html-text.js';
import { readWxr } from '#src/sources/wordpress/read-wxr.js';
import { attempt, MOST, worstGrowth } from '../support/growth.js';

describe('the work that files make grows as their length does', function () {
  this.timeout(300_000);

  it('a document of redirects of 32,768 characters', () => {
    const documents: [string, string][] = [
      ['vercel.json', '{"redirects":['],
      ['dynamic.yml', 'http:\n  middlewares:\n'],
      ['web.config', '<configuration>\n'],
      ['web.config', '<configuration>\n<rule '],
      ['netlify.toml', '[[redirects]]\n'],
      ['.htaccess', 'RewriteEngine On\n'],
    ];
    for (const [file, before] of documents) {
      const { growth, text } = worstGrowth(
        32_768,
        (document) => {
          attempt(() => {
            const redirects = new RedirectFile(file);
            for (const line of (before + document).split('\n')) redirects.push(line);
            for (const rule of redirects.end()) readRedirect(rule);
          });
        },
        [''],
      );
      expect(growth, `${file}: ${text}`).to.be.at.most(MOST);
    }
  });
});

describe('elements that nest without end', () => {
  it('are refused by every reader of HTML and XML, before they cost their square', async () => {
    for (const unit of ['<ul><li>', '<table><tr><td>', '<b>', '<div>', '<nav>'])
      expect(() => htmlText(unit.repeat(100_000)), unit).to.throw('nested more than 512 levels deep');
    const chunks = Readable.from(['<rss><channel>', '<a>'.repeat(100_000)]);
    const read = await readWxr(chunks, 'export.xml', undefined, new LeftOut())
      .next()
      .catch((error: unknown) => error);
    expect(String(read)).to.include('nested more than 512 levels deep');
  });

  it('cost a WordPress post its own entry', async () => {
    const item = (name: string, content: string): string =>
      `<item><title>${name}</title><link>https://a.example/${name}</link><content:encoded><![CDATA[${content}]]></content:encoded><wp:post_type>page</wp:post_type><wp:status>publish</wp:status></item>\n`;
    const chunks = Readable.from([
      '<rss><channel><wp:wxr_version>1.2</wp:wxr_version>\n',
      item('deep', '<ul><li>'.repeat(1_000)) + item('flat', 'Text.'),
      '</channel></rss>',
    ]);
    const kinds: string[] = [];
    for await (const { kind } of readWxr(chunks, 'export.xml', undefined, new LeftOut())) kinds.push(kind);
    expect(kinds).to.deep.equal(['refused', 'page']);
  });
});
