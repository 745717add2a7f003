import { expect } from 'chai';
import { readOldUrls } from '#src/sources/rows/old-urls.js';
import type { NoOldUrl, OldUrl } from '#src/sources/source.js';

/** Read in pieces of any length. */
async function read(text: string, piece = 7, name = 'old.csv'): Promise<(OldUrl | NoOldUrl)[]> {
  async function* chunks(): AsyncGenerator<string> {
    for (let at = 0; at < text.length; at += piece) yield await Promise.resolve(text.slice(at, at + piece));
  }
  const all: (OldUrl | NoOldUrl)[] = [];
  for await (const entry of readOldUrls(name, chunks())) all.push(entry);
  return all;
}

const olds = (all: readonly (OldUrl | NoOldUrl)[]): string[] =>
  all.map((entry) => ('old' in entry ? entry.old : entry.reason));

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

  it('is a log where a line of its beginning is one, whatever the first line is', async () => {
    const note = '{"level":"info","ts":1795600000.1,"msg":"serving"}\n';
    const requestLine =
      '{"level":"info","ts":1795600000.5,"logger":"http.log.access","request":{"method":"GET","uri":"/alt"},"status":404}\n';
    for (const piece of [1, 100_000])
      expect(olds(await read(note.repeat(25) + requestLine, piece))).to.deep.equal(['/alt']);
  });

  for (const [tool, text, wanted] of [
    [
      'Search Console, Not found (404)',
      'URL,Last crawled\nhttps://x.example/a,2026-11-01\n',
      ['https://x.example/a', undefined],
    ],
    [
      'Search Console, pages',
      'Top pages,Clicks,Impressions,CTR,Position\nhttps://x.example/a,7,90,7.78%,3.1\n',
      ['https://x.example/a', 7],
    ],
    [
      'Screaming Frog',
      '"Address","Content Type","Status Code","Status","Title 1"\n"https://x.example/a","text/html; charset=UTF-8","404","Not Found","Oops"\n',
      ['https://x.example/a', undefined],
    ],
    [
      'Ahrefs, broken backlinks',
      'Referring page title\tReferring page URL\tTarget URL\tTarget page HTTP code\tTraffic\nNews\thttps://y.example/\thttps://x.example/a\t404\t12\n',
      ['https://x.example/a', 12],
    ],
    ['Matomo', 'label,nb_visits,nb_hits,Metadata: url\n/a,5,9,https://x.example/a\n', ['https://x.example/a', 5]],
    [
      'GA4, pages',
      '# ----------------\n# Pages and screens\n#\nPage path and screen class,Views,Active users\n/a,"1,204",8\n',
      ['/a', 1_204],
    ],
    ['GA4, landing pages', 'Landing page + query string,Sessions\n/a?x=1,3\n', ['/a?x=1', 3]],
  ] as const)
    it(`is read as ${tool} exports it`, async () => {
      const rows = await read(text, 7, 'export.csv');
      expect(rows.map((row) => ('old' in row ? [row.old, row.hits, row.title] : row.reason))).to.deep.equal([
        [...wanted, ''],
      ]);
    });

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

  it('of a crawl or Search Console has what is missing, without the title of the 404 page', async () => {
    const crawl =
      'Address,Content Type,Status Code,Title 1\nhttps://x.example/a,text/html,404,Page not found\n' +
      'https://x.example/b,,410,\nhttps://x.example/c,text/html,500,Oops\n';
    expect(await read(crawl)).to.deep.equal([
      { line: 2, old: 'https://x.example/a', title: '', content: '', hits: undefined },
      { line: 3, old: 'https://x.example/b', title: '', content: '', hits: undefined },
      { line: 4, reason: 'https://x.example/c was no page: 500' },
    ]);
    const console = 'URL,Status,Last crawled\nhttps://x.example/d,Not found (404),2026-11-01\n';
    expect(olds(await read(console))).to.deep.equal(['https://x.example/d']);
  });

  const logLine = (request: string, status: number, at = '10/Oct/2025:13:55:36 +0000'): string =>
    `192.0.2.7 - - [${at}] "${request}" ${status} 12 "-" "Mozilla/5.0"`;

  it('of an access log holds the paths that were missing, with how often they were asked for', async () => {
    const log = [
      logLine('GET /old/a?utm_source=mail HTTP/1.1', 404),
      logLine('GET /old/a HTTP/1.1', 404),
      logLine('HEAD /caf\\xC3\\xA9?id=7 HTTP/1.1', 404),
      logLine('GET /live HTTP/1.1', 200),
      logLine('POST /form HTTP/1.1', 404),
      logLine('GET /wp-login.php HTTP/1.1', 404),
      logLine('GET /img/logo.png HTTP/1.1', 404),
      'half a li',
      logLine(`GET /${'x'.repeat(3_000)} HTTP/1.1`, 404),
    ].join('\r\n');
    const all = await read(`${log}\n`);
    expect(all.flatMap((entry) => ('old' in entry ? [[entry.old, entry.hits]] : []))).to.deep.equal([
      ['/old/a', 2],
      ['/caf%C3%A9?id=7', 1],
    ]);
    expect(all.flatMap((entry) => ('reason' in entry ? [[entry.line, entry.reason.slice(0, 47)]] : []))).to.deep.equal([
      [8, 'not a line of a common or combined log'],
      [9, 'no path of at most 2048 characters: /xxxxxxxxxx'],
      [6, '2 requests by scanners or for files that are no'],
    ]);
  });

  it('of an access log may be in each of the formats that are imported', async () => {
    const iis =
      '#Software: Microsoft Internet Information Services 10.0\n#Fields: date time cs-method cs-uri-stem cs-uri-query sc-status\n' +
      '2025-10-10 13:55:36 GET /old.aspx id=1 404\n2025-10-10 13:55:37 GET /old.aspx id=1 404\n';
    expect(await read(iis)).to.deep.equal([{ line: 3, old: '/old.aspx?id=1', title: '', content: '', hits: 2 }]);
    const json = '{"time":"2025-10-10T13:55:36Z","status":404,"request_method":"GET","request_uri":"/old"}\n';
    expect(olds(await read(json))).to.deep.equal(['/old']);
  });

  it('of an index of sitemaps names them, and of what is no sitemap says so', async () => {
    const index = '<sitemapindex><sitemap><loc>https://x.example/1.xml</loc></sitemap></sitemapindex>';
    expect(olds(await read(index))).to.deep.equal(['https://x.example/1.xml is another sitemap: map it by itself']);
    for (const text of ['<html><body>/a</body></html>', '<urlset><url><loc>https://x.example/a</loc>'])
      await read(text).then(
        () => expect.fail('no error'),
        (error: unknown) => {
          expect(String(error)).to.include('old.csv is no sitemap');
        },
      );
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
