import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { readExampleSite, type ExampleSite } from '#src/app/demo/example-site.js';
import { packageRoot } from '#src/base/package-root.js';
import { createLogger } from '#src/platform/telemetry/create-logger.js';
import type { Validators } from '#src/sources/source.js';
import { readSitemapUrls } from '#src/sources/web/read-sitemaps.js';
import { html, page, readAll, startSite, text, type WebSite } from '../../../support/web-site.js';

/** A page of the example shop as a shop's server would send it. */
function rendered(site: ExampleSite, { title, content, url }: ExampleSite['pages'][number]): string {
  const escape = (words: string): string =>
    words.replace(/[&<>]/g, (c) => `&#${c.charCodeAt(0)};`).replace(/\[([^\]]*)\]\(([^)]*)\)/g, '<a href="$2">$1</a>');
  const blocks = content.split(/\n\n+/).map((block) => {
    const [, marks = '', heading] = /^(#{1,6}) (.*)$/.exec(block) ?? [];
    if (heading !== undefined) return `<h${marks.length}>${escape(heading)}</h${marks.length}>`;
    if (!block.startsWith('- ')) return `<p>${escape(block)}</p>`;
    return `<ul>${block
      .split(/\n(?=- )/)
      .map((item) => `<li>${escape(item.slice(2))}</li>`)
      .join('')}</ul>`;
  });
  const menu = site.pages.slice(0, 12).map((other) => `<li><a href="${other.url}">menu entry</a></li>`);
  return `<!doctype html><html lang="en"><head><title>${escape(title)} | ${site.name}</title><style>.quince{}</style>
    <meta property="og:site_name" content="${site.name}"><link rel="canonical" href="${new URL(url).pathname}"></head>
    <body><header><nav><ul>${menu.join('')}</ul></nav></header><script>let quince = 1</script>
    <div class="page"><h1>${escape(title)}</h1>${blocks.join('\n')}</div>
    <footer><p>quince: terms, privacy, newsletter</p></footer></body></html>`;
}

describe('a site as a source of pages', function () {
  this.timeout(30_000);
  let shop: ExampleSite;
  let site: WebSite;
  let lastmod = '2026-01-01';

  before(async () => {
    shop = await readExampleSite(`${packageRoot()}/examples/shop`);
    const byPath = new Map(shop.pages.map((shopPage) => [new URL(shopPage.url).pathname, shopPage]));
    site = await startSite((path, response, request) => {
      const shopPage = byPath.get(path);
      const etag = `"${path.length}"`;
      if (path === '/robots.txt') text(response, 200, `Sitemap: ${site.origin}/sitemaps.xml\n`);
      else if (path === '/sitemaps.xml')
        text(
          response,
          200,
          `<?xml version="1.0"?><sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>
          ${site.origin}/pages.xml.gz</loc></sitemap><sitemap><loc>https://elsewhere.example/s.xml</loc></sitemap></sitemapindex>`,
        );
      else if (path === '/pages.xml.gz') {
        const urls = [...byPath.keys()].map(
          (pagePath) => `<url><loc>${site.origin}${pagePath}</loc><lastmod>${lastmod}</lastmod></url>`,
        );
        response.end(gzipSync(`<urlset>${urls.join('')}</urlset>`));
      } else if (!shopPage) text(response, 404);
      else if (request.headers['if-none-match'] === etag) response.writeHead(304).end();
      else html(response, rendered(shop, shopPage), { etag });
    });
  });
  after(() => site.close());

  it('gives every page of its sitemaps: title, language, and the words of the page alone', async () => {
    const { items, pages, report } = await readAll({ start: site.origin, crawl: false });
    expect(pages).to.have.length(shop.pages.length);
    expect(report).to.deep.include({ isComplete: true, requests: shop.pages.length + 3 });
    for (const item of items) {
      if (item.kind !== 'page') continue;
      const source = shop.pages.find(({ url }) => new URL(url).pathname === new URL(item.page.url).pathname);
      expect(item.page.title).to.equal(source?.title);
      expect(item.page.metadata).to.deep.equal({ language: 'en' });
      expect(item.page.content).not.to.match(/quince|menu entry/);
      const words = (of: string): string[] => of.replace(/\]\([^)]*\)/g, ' ').match(/[\p{L}\p{N}]{4,}/gu) ?? [];
      const pageWords = new Set(words(item.page.content));
      const missing = words(source?.content ?? '').filter((word) => !pageWords.has(word));
      expect(missing, item.page.url).to.deep.equal([]);
    }
  });

  it('refuses a sitemap of another origin by name', async () => {
    const { refused } = await readAll({ start: `${site.origin}/sitemaps.xml`, crawl: false });
    expect(refused).to.deep.equal([
      {
        where: `${site.origin}/sitemaps.xml`,
        reason: 'https://elsewhere.example/s.xml is of an origin that may not be requested: name it with --allow',
      },
    ]);
  });

  it('says which pages have not changed, and does not ask for those whose lastmod is the same', async () => {
    const seen = new Map<string, Validators>();
    const known = { get: (url: string) => seen.get(url), set: seen.set.bind(seen) };
    const start = `${site.origin}/sitemaps.xml`;
    await readAll({ start, crawl: false, known });
    const before = site.requests.length;
    const again = await readAll({ start, crawl: false, known });
    expect(again.unchanged).to.have.length(shop.pages.length);
    expect(site.requests.length - before).to.equal(2);
    lastmod = '2026-02-02';
    const later = await readAll({ start, crawl: false, known });
    expect(later.unchanged).to.have.length(shop.pages.length);
    expect(later.pages).to.deep.equal([]);
    expect(site.requests.length - before).to.equal(4 + shop.pages.length);
  });

  it('reads sitemaps up to a number and a depth, names what is beyond, and is not complete then', async () => {
    const index = (...paths: string[]): string =>
      `<sitemapindex>${paths.map((path) => `<sitemap><loc>${deep.origin}${path}</loc></sitemap>`).join('')}</sitemapindex>`;
    const deep: WebSite = await startSite((path, response) => {
      const [, level] = /^\/level(\d)\.xml$/.exec(path) ?? [];
      if (level !== undefined) text(response, 200, index(`/level${Number(level) + 1}.xml`, '/pages.xml'));
      else if (path === '/pages.xml') text(response, 200, `<urlset><url><loc>${deep.origin}/a</loc></url></urlset>`);
      else if (path === '/many.xml') text(response, 200, index(...'123456'.split('').map((n) => `/${n}.xml`)));
      else if (path.endsWith('.xml')) text(response, 200, '<urlset></urlset>');
      else html(response, page('A'));
    });
    const { pages, refused, report } = await readAll({ start: `${deep.origin}/level0.xml`, crawl: false });
    const reason = 'it is one sitemap too many, or too deep';
    expect(pages).to.deep.equal(['/a']);
    expect(refused).to.deep.equal([{ where: `${deep.origin}/level4.xml`, reason }]);
    expect(report.isComplete).to.equal(false);
    const start = `${deep.origin}/many.xml`;
    const ended = await readAll({ start, crawl: false, limits: { sitemaps: 2 } }).then(() => 'well', String);
    expect(ended).to.contain(reason);
    expect(deep.requests.filter(({ path }) => /^\/\d\.xml$/.test(path))).to.have.length(1);
    await deep.close();
  });

  it('gives the urls alone, for redirects map, past what cannot be unpacked', async () => {
    const old: WebSite = await startSite((path, response) => {
      if (path === '/broken.xml') text(response, 200, 'no gzip', { 'content-encoding': 'gzip' });
      // Every object has a constructor, which is no way to unpack.
      else if (path === '/unknown.xml') text(response, 200, 'packed', { 'content-encoding': 'constructor' });
      else if (path === '/a.xml') text(response, 200, '<urlset><url><loc>https://old.example/a</loc></url></urlset>');
      else
        text(
          response,
          200,
          `<sitemapindex><sitemap><loc>${old.origin}/broken.xml</loc></sitemap><sitemap><loc>unknown.xml</loc></sitemap><sitemap><loc>a.xml</loc></sitemap></sitemapindex>`,
        );
    });
    const asks = { origins: new Set([old.origin]), userAgent: 'pathmend/9.9.9', logger: createLogger('error') };
    const entries = [];
    for await (const sitemapEntry of readSitemapUrls(`${old.origin}/index.xml`, asks)) entries.push(sitemapEntry);
    expect(entries.map(({ url }) => url)).to.deep.equal([
      `${old.origin}/broken.xml`,
      `${old.origin}/unknown.xml`,
      'https://old.example/a',
    ]);
    expect(entries[0]?.reason).to.match(/^is a sitemap that cannot be read: /);
    await old.close();
  });

  it('does not take a sitemap that was cut off for a whole one', async () => {
    const entry = (path: string): string => `<url><loc>${cut.origin}${path}</loc></url>`;
    const cut: WebSite = await startSite((path, response) => {
      if (path === '/s.xml') text(response, 200, `<urlset>${entry('/a')}`);
      else if (path === '/s.txt') text(response, 200, `${cut.origin}/a\r\n${cut.origin}/b`);
      else if (path === '/entities.xml')
        text(response, 200, `<!DOCTYPE x [<!ENTITY a "${cut.origin}">]><urlset>${entry('/a')}${entry('&a;')}</urlset>`);
      else html(response, page(path));
    });
    const { pages, refused, report } = await readAll({ start: `${cut.origin}/s.xml`, crawl: false });
    expect([pages, refused.length, report.isComplete]).to.deep.equal([['/a'], 1, false]);
    const listed = await readAll({ start: `${cut.origin}/s.txt`, crawl: false });
    expect([listed.pages, listed.report.isComplete]).to.deep.equal([['/a', '/b'], true]);
    // Entities that a file defines itself are never expanded.
    const entities = await readAll({ start: `${cut.origin}/entities.xml`, crawl: false });
    expect([entities.pages, entities.refused.length, entities.report.isComplete]).to.deep.equal([['/a'], 1, true]);
    await cut.close();
  });

  it('says who asks', () => {
    const agents = new Set(site.requests.map(({ headers }) => headers['user-agent']));
    expect([...agents]).to.deep.equal(['pathmend/9.9.9 (+https://pathmend.example/bot)']);
    expect(site.requests.some(({ headers }) => headers.cookie !== undefined)).to.equal(false);
  });
});

describe('a crawl', function () {
  this.timeout(30_000);
  let site: WebSite;
  let isHomeChanged = false;
  let failures = 2;

  before(async () => {
    const answers: Record<string, Parameters<typeof startSite>[0]> = {
      '/robots.txt': (_path, response) => {
        text(
          response,
          200,
          'User-agent: pathmend\nDisallow: /hidden\nCrawl-delay: 0.001\n\nUser-agent: *\nDisallow: /\n',
        );
      },
      '/': (_path, response, request) => {
        if (request.headers['if-none-match'] === '"home"' && !isHomeChanged) return response.writeHead(304).end();
        const links = '/a /old /moved-for-now /hidden/x /print/a /copy /unbuilt /quiet /picture /gone'.split(' ');
        const more = ['/later', '/broken', '/a?utm_source=x#top', '/tagged', 'https://elsewhere.example/'];
        html(response, page('Home', [...links, ...more]), { etag: '"home"' });
      },
      '/a': (_path, response) => {
        html(response, page('A', ['/b'], '<meta name="robots" content="max-snippet:9">'));
      },
      '/b': (_path, response) => {
        html(response, page('B', [], '<link rel="canonical" href="https://www.example.com/b">'));
      },
      '/old': (_path, response) => {
        text(response, 301, '', { location: '/older' });
      },
      '/older': (_path, response) => {
        text(response, 308, '', { location: '/b' });
      },
      '/moved-for-now': (_path, response) => {
        text(response, 302, '', { location: '/c' });
      },
      '/c': (_path, response) => {
        html(response, page('C'));
      },
      '/print/a': (_path, response) => {
        html(response, page('A', [], '<link rel="canonical" href="/a">'));
      },
      '/copy': (_path, response) => {
        html(response, page('Copy', [], '<link rel="canonical" href="/only-canonical">'));
      },
      '/unbuilt': (_path, response) => {
        html(response, page('Unbuilt', [], '<link rel="canonical" href="/unbuilt.html">'));
      },
      '/only-canonical': (_path, response) => {
        html(response, page('Only canonical'));
      },
      '/quiet': (_path, response) => {
        html(response, page('Quiet', ['/behind'], '<meta name="robots" content="noindex">'));
      },
      '/behind': (_path, response) => {
        html(response, page('Behind'));
      },
      '/tagged': (_path, response) => {
        html(response, page('Tagged'), { 'x-robots-tag': 'noindex' });
      },
      '/picture': (_path, response) => {
        response.writeHead(200, { 'content-type': 'image/png' }).end('x');
      },
      '/later': (_path, response) => {
        if (failures-- > 0) text(response, 503, '', { 'retry-after': '1' });
        else
          response
            .writeHead(200, { 'content-type': 'text/html; charset=windows-1252' })
            .end(Buffer.from('<h1>Caf\xe9</h1>', 'latin1'));
      },
      '/broken': (_path, response) => {
        text(response, 500);
      },
    };
    site = await startSite((path, response, request) => {
      (
        answers[path] ??
        ((_path, missing) => {
          text(missing, 404);
        })
      )(path, response, request);
    });
  });
  after(() => site.close());

  it('reads what is linked, each page once, under the url that the site calls canonical if it is there', async () => {
    const { items, pages, redirects, refused, report } = await readAll({ start: site.origin });
    expect(pages).to.deep.equal(['/', '/a', '/b', '/behind', '/c', '/later', '/only-canonical', '/unbuilt']);
    expect(redirects).to.deep.equal([['/old', '/b']]);
    expect(refused).to.deep.equal([{ where: `${site.origin}/broken`, reason: 'the server answers 500' }]);
    expect(report.leftOut).to.deep.equal({
      'it redirects to another page for now': 1,
      'robots.txt disallows it': 1,
      'another url is canonical': 2,
      noindex: 2,
      'not HTML': 1,
      'the server answers 404': 2,
      'the same page under another url': 1,
    });
    expect(items.some((item) => item.kind === 'page' && item.page.title === 'Café')).to.equal(true);
  });

  it('waits as long as a server asks before it tries again', () => {
    const [first, second, third] = site.requests.filter(({ path }) => path === '/later').map(({ at }) => at);
    expect((second ?? 0) - (first ?? 0)).to.be.above(990);
    expect((third ?? 0) - (second ?? 0)).to.be.above(990);
  });

  it('asks a host no faster than it was told to', async () => {
    const before = site.requests.length;
    await readAll({ start: `${site.origin}/a`, limits: { requestsPerSecond: 10 } });
    const times = site.requests.slice(before).map(({ at }) => at);
    expect(times).to.have.length(2);
    // A tenth of a second, less what the first request took to arrive. Without a pace it is a few milliseconds.
    expect((times[1] ?? 0) - (times[0] ?? 0)).to.be.above(50);
  });

  it('goes on from the pages that are known where a page has not changed, since its links do not come', async () => {
    const seen = new Map<string, Validators>();
    const known = { get: (url: string) => seen.get(url), set: seen.set.bind(seen), urls: () => seen.keys() };
    const first = await readAll({ start: site.origin, known });
    const second = await readAll({ start: site.origin, known });
    expect(second.unchanged).to.deep.equal(['/']);
    expect(second.pages).to.deep.equal(first.pages.filter((path) => path !== '/'));
    isHomeChanged = true;
    expect((await readAll({ start: site.origin, known })).pages).to.deep.equal(first.pages);
  });

  it('gives the same pages each time where the server leads from a canonical url back to the page', async () => {
    const canonical = (path: string): string => `<link rel="canonical" href="${path}">`;
    const reads: unknown[] = [];
    const spelt = await startSite((path, response, request) => {
      if (path === '/' && request.headers['if-none-match'] === '"home"') response.writeHead(304).end();
      else if (path === '/') html(response, page('Home', ['/n/', '/both/', '/m']), { etag: '"home"' });
      else if (path === '/n' || path === '/m') text(response, 301, '', { location: `${path}/` });
      else if (path === '/n/') html(response, page('N', [], canonical('/n')));
      else if (path === '/m/') html(response, page('M', [], canonical('/m')));
      else if (path === '/both' || path === '/both/') html(response, page('Both', [], canonical('/both')));
      else text(response, 404);
    });
    const seen = new Map<string, Validators>();
    const known = { get: (url: string) => seen.get(url), set: seen.set.bind(seen), urls: () => seen.keys() };
    for (let crawl = 0; crawl < 3; crawl++) {
      const { pages, unchanged, redirects, report } = await readAll({ start: spelt.origin, known });
      reads.push([[...pages, ...unchanged].sort(), redirects, report.leftOut]);
    }
    await spelt.close();
    const all = ['/', '/both', '/m/', '/n/'];
    expect(reads).to.deep.equal([[all, [], { 'another url is canonical': 1 }], ...[1, 2].map(() => [all, [], {}])]);
  });

  it('is refused where the name of its host has no address, by whoever resolves it', async () => {
    const start = 'http://nowhere.example/';
    const limits = { tries: 2 };
    for (const guard of [undefined, () => undefined]) {
      const error = await readAll({ start, limits, guard, resolve: () => Promise.resolve([]) }).catch(String);
      expect(error).to.contain('nowhere.example has no address');
    }
  });

  it('needs robots.txt to be there or not, but not to fail', async () => {
    let status = 503;
    const down = await startSite((path, response) => {
      if (path !== '/robots.txt') html(response, page('Home'));
      else text(response, status, 'x'.repeat(10_000_000));
    });
    const error = await readAll({ start: down.origin, limits: { tries: 2 } }).catch((thrown: unknown) => thrown);
    expect(String(error)).to.contain('robots.txt cannot be read, so nothing may be fetched');
    expect(down.requests).to.have.length(0);
    status = 200;
    expect((await readAll({ start: down.origin })).pages).to.deep.equal(['/']);
    await down.close();
  });
});
