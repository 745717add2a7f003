import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '#src/base/package-root.js';
import { serverLines } from '#src/console/connect/connect-page.js';

const DOCUMENTS: Readonly<Record<string, [file: string, url: string]>> = {
  Express: ['clients/js/README.md', 'http://127.0.0.1:8080'],
  'nginx, a site of files': ['docs/start/missing-pages.md', 'http://127.0.0.1:8080'],
  'nginx, before an application': ['docs/start/missing-pages.md', 'http://127.0.0.1:8080'],
  Apache: ['docs/start/missing-pages.md', 'http://127.0.0.1:8080'],
  Caddy: ['docs/start/missing-pages.md', 'http://127.0.0.1:8080'],
  'A search field behind nginx': ['docs/start/missing-pages.md', 'http://127.0.0.1:8080'],
  'A search field behind Apache': ['docs/start/missing-pages.md', 'http://127.0.0.1:8080'],
  'A search field behind Caddy': ['docs/start/missing-pages.md', 'http://127.0.0.1:8080'],
  WordPress: ['clients/wordpress/README.md', 'https://pathmend.internal'],
};

describe('the lines that the console shows for a web server', () => {
  for (const [name, [file, url]] of Object.entries(DOCUMENTS))
    it(`are those of ${file} for ${name}, which tests try in the server itself`, async () => {
      const unindent = (text: string): string[] => text.split('\n').map((line) => line.trim());
      const document = unindent(readFileSync(join(packageRoot(), file), 'utf8'));
      const { lines = '' } = (await serverLines(url, 'pm_live_…')).find(({ server }) => server === name) ?? {};
      const wanted = unindent(lines).filter((line) => line !== '');
      expect(wanted).to.have.length.above(1);
      const from = document.indexOf(wanted[0] ?? '');
      const block = document.slice(from, document.indexOf('```', from));
      expect(block.filter((line) => wanted.includes(line))).to.deep.equal(wanted);
    });

  it('take the place of an own error_page in nginx, of two of which the first counts', async () => {
    const of = (await serverLines('http://127.0.0.1:8080', 'k')).filter(({ lines }) => /^error_page 404/m.test(lines));
    expect(of.map(({ where }) => where.includes('in place of its own error_page 404'))).to.deep.equal([true]);
  });
});
