import { expect } from 'chai';
import { readOldUrls, type NoOldUrl, type OldUrl } from '#src/moves/redirect-rules/old-urls.js';

/** Read in pieces of any length. */
async function read(text: string, piece = 7, name = 'old.csv'): Promise<(OldUrl | NoOldUrl)[]> {
  async function* chunks(): AsyncGenerator<string> {
    for (let at = 0; at < text.length; at += piece) yield await Promise.resolve(text.slice(at, at + piece));
  }
  const all: (OldUrl | NoOldUrl)[] = [];
  for await (const one of readOldUrls(name, chunks())) all.push(one);
  return all;
}

const olds = (all: readonly (OldUrl | NoOldUrl)[]): string[] => all.map((one) => ('old' in one ? one.old : one.reason));

describe('a list of old urls', () => {
  for (const piece of [1, 7, 100_000]) {
    it(`is read in pieces of ${piece}: lines, a table, a sitemap`, async () => {
      expect(olds(await read('\uFEFF# ours\n/a\r\n\nhttps://x.example/b?c=1 12\n', piece))).to.deep.equal([
        '/a',
        'https://x.example/b?c=1',
      ]);
      expect(await read('URL,Title,Clicks\n/a,"One, ""two""\nthree","1,234"\n/b,,\n', piece)).to.deep.equal([
        { line: 2, old: '/a', title: 'One, "two"\nthree', content: '', hits: 1_234 },
        { line: 4, old: '/b', title: '', content: '', hits: undefined },
      ]);
      const sitemap =
        '<?xml version="1.0"?><urlset><url><loc> https://x.example/a?b=1&amp;c=2 </loc></url>' +
        '<url><lastmod>2020</lastmod><loc><![CDATA[https://x.example/d]]></loc></url></urlset>';
      expect(olds(await read(sitemap, piece))).to.deep.equal(['https://x.example/a?b=1&c=2', 'https://x.example/d']);
    });
  }

  it('of a crawl leaves out what was no page', async () => {
    const crawl =
      'Address;Content Type;Status Code;Title 1\n' +
      'https://x.example/a;text/html; charset=utf-8;200;A\n'.replace('; charset', ' charset') +
      'https://x.example/b;text/html;301;B\nhttps://x.example/c.png;image/png;200;\n';
    expect(olds(await read(crawl))).to.deep.equal([
      'https://x.example/a',
      'https://x.example/b was no page: 301',
      'https://x.example/c.png was no page: image/png',
    ]);
  });

  it('names what is wrong', async () => {
    expect(olds(await read('url,hits\nold,1\n/a,many\n/b,-1\n"/c'))).to.deep.equal([
      '"old" is neither a path nor a full url',
      'hits of /a must be a number',
      'hits of /b must be a number',
      'a quote that is opened here is never closed',
    ]);
    await read('name,score\n1,2\n').then(
      () => expect.fail('no error'),
      (error: unknown) => {
        expect(String(error)).to.include('old.csv:1').and.include('header');
      },
    );
    expect(await read('')).to.deep.equal([]);
  });
});
