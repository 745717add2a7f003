import { expect } from 'chai';
import { LeftOut } from '#src/sources/source.js';
import { html, page, readAll, startSite, text, type WebSite } from '../../../support/web-site.js';

describe('a crawl that leaves something out', function () {
  this.timeout(30_000);
  let site: WebSite;
  let pages: Record<string, string> = {};
  const moved: Record<string, string> = { '/c-moved': '/p-moved' };

  before(async () => {
    site = await startSite((path, response) => {
      const body = pages[path];
      if (path === '/broken') text(response, 500);
      else if (path === '/header') html(response, page('Redirecting'), { refresh: '0; url=/new/' });
      else if (path === '/latin')
        response.writeHead(200, { 'content-type': 'text/html' }).end(Buffer.from(body ?? '', 'latin1'));
      else if (moved[path] !== undefined) text(response, 301, '', { location: moved[path] });
      else if (body === undefined) text(response, 404);
      else html(response, body);
    });
  });
  after(() => site.close());

  const crawl = async (served: Record<string, string>) => {
    pages = served;
    const leftOut = new LeftOut();
    const read = await readAll({ start: `${site.origin}/`, leftOut });
    return { ...read, leftOut };
  };

  it('names each url, why it is none, and the page that links to it', async () => {
    const { leftOut, items } = await crawl({
      '/': page('Home', ['/a', '/missing', '/broken']),
      '/a': page('A', ['/missing', '/also?missing=1', '/quiet']),
      '/quiet': page('Quiet', [], '<meta name=robots content=noindex>'),
    });
    expect(leftOut.list()).to.deep.equal([
      {
        reason: 'the server answers 404',
        count: 2,
        first: [
          { where: `${site.origin}/missing`, linked_from: `${site.origin}/` },
          { where: `${site.origin}/also?missing=1`, linked_from: `${site.origin}/a` },
        ],
      },
      { reason: 'noindex', count: 1, first: [{ where: `${site.origin}/quiet`, linked_from: `${site.origin}/a` }] },
    ]);
    expect(leftOut.lines('urls').slice(0, 2)).to.deep.equal([
      '2 urls left out: the server answers 404',
      `  ${site.origin}/missing (linked from ${site.origin}/)`,
    ]);
    expect(items.filter(({ kind }) => kind === 'refused')).to.deep.equal([
      {
        kind: 'refused',
        where: `${site.origin}/broken`,
        reason: 'the server answers 500',
        linked_from: `${site.origin}/`,
      },
    ]);
  });

  it('keeps one of two pages that name each other as canonical, and names the other', async () => {
    const canonical = (href: string): string => `<link rel=canonical href="${href}">`;
    const two = await crawl({
      '/': page('Home', ['/a/', '/b/']),
      '/a/': page('Wheels', [], canonical('/b/')),
      '/b/': page('Lamps', [], canonical('/a/')),
    });
    expect(two.pages).to.deep.equal(['/', '/b/']);
    expect(two.leftOut.list()).to.deep.equal([
      {
        reason: 'another url is canonical',
        count: 1,
        first: [{ where: `${site.origin}/a/`, linked_from: `${site.origin}/`, instead: `${site.origin}/b/` }],
      },
    ]);
    const otherCrawl = await crawl({
      // The canonical url was asked for before the page that names it.
      '/': page('Home', ['/missing', '/p', '/p-broken', '/p-moved', '/1', '/2']),
      '/p': page('P', [], canonical('/missing')),
      '/p-broken': page('P broken', [], canonical('/broken')),
      '/p-moved': page('P moved', [], canonical('/c-moved')),
      '/1': page('One', [], canonical('/2')),
      '/2': page('Two', [], canonical('/3')),
      '/3': page('Three', [], canonical('/1')),
    });
    expect(otherCrawl.pages).to.deep.equal(['/', '/3', '/p', '/p-broken', '/p-moved']);
  });

  it('has redirects where a page only leads on, and reads where it leads', async () => {
    const refresh = (content: string): string =>
      `<html><head><title>Redirecting</title><meta http-equiv="Refresh" content="${content}"><meta name=robots content=noindex></head><body>x</body></html>`;
    const { pages: pagePaths, redirects } = await crawl({
      '/': page('Home', ['/older/', '/c/', '/header', '/reload']),
      '/older/': refresh("0;URL='/new/'"),
      '/c/': refresh('0;URL=../new/'),
      '/new/': page('New'),
      '/reload': page('Reload', [], '<meta http-equiv=refresh content=300>'),
    });
    expect(pagePaths).to.deep.equal(['/', '/new/', '/reload']);
    expect(redirects).to.deep.equal([
      ['/older/', '/new/'],
      ['/c/', '/new/'],
      ['/header', '/new/'],
    ]);
  });
});
