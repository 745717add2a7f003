import { expect } from 'chai';
import { LeftOut, type Validators } from '#src/sources/source.js';
import { html, page, readAll, startSite, text, type WebSite } from '../../../support/web-site.js';

type Answer = Parameters<typeof startSite>[0];

const COPY = 'its title and text are those of another page: is it an error page, a login or a notice?';
const ELSEWHERE = 'it redirects to another page for now';

describe('urls of a site that answer without a page of their own', function () {
  this.timeout(30_000);
  let site: WebSite;
  let answer: Answer;
  let listed: string[] = [];

  before(async () => {
    site = await startSite((path, response, request) => {
      const urls = listed.map((listedPath) => `<url><loc>${site.origin}${listedPath}</loc></url>`);
      if (path === '/sitemap.xml') text(response, 200, `<urlset>${urls.join('')}</urlset>`);
      else if (path === '/robots.txt') text(response, 404);
      else answer(path, response, request);
    });
  });
  after(() => site.close());

  const read = async (crawl: boolean, answers: Answer, options: Partial<Parameters<typeof readAll>[0]> = {}) => {
    answer = answers;
    const leftOut = new LeftOut();
    const all = await readAll({ start: `${site.origin}/${crawl ? '' : 'sitemap.xml'}`, crawl, leftOut, ...options });
    return { ...all, leftOut: leftOut.list() };
  };
  const urls = (...paths: string[]): string[] => paths.map((path) => site.origin + path);

  for (const code of [302, 303, 307])
    it(`are no pages where a ${code} leads to a login, each named with where it leads`, async () => {
      listed = ['/open', '/members/plans', '/members/invoices', '/slash'];
      const { pages, redirects, leftOut } = await read(false, (path, response) => {
        if (path.startsWith('/members/')) text(response, code, '', { location: `/login?next=${path}` });
        else if (path === '/slash') text(response, code, '', { location: '/slash/' });
        else html(response, page(`Page ${path}`));
      });
      expect(pages).to.deep.equal(['/open', '/slash/']);
      expect(redirects).to.deep.equal([]);
      expect(leftOut.map(({ reason, first }) => [reason, first.map(({ where, instead }) => [where, instead])])).to.eql([
        [ELSEWHERE, ['plans', 'invoices'].map((of) => urls(`/members/${of}`, `/login?next=/members/${of}`))],
      ]);
    });

  it('are no pages, though what they lead to is read by a crawl, once', async () => {
    const { pages, leftOut } = await read(true, (path, response) => {
      if (path === '/') text(response, 302, '', { location: '/en/' });
      else if (path === '/en/') html(response, page('Home', ['/account', '/orders', '/open']));
      else if (/account|orders/.test(path) && !path.startsWith('/login'))
        text(response, 302, '', { location: `/login?to=${path.slice(1)}` });
      else html(response, page(path.startsWith('/login') ? 'Log in' : `Page ${path}`));
    });
    expect(pages).to.deep.equal(['/en/', '/login?to=account', '/open']);
    expect(leftOut.map(({ reason, count }) => [reason, count])).to.deep.equal([
      [ELSEWHERE, 3],
      [COPY, 1],
    ]);
  });

  it('are named where they have the title and text of another, and are left out', async () => {
    listed = ['/', '/a', '/b', '/c', '/fr'];
    const wall = (lang: string): string => `<html lang=${lang}>${page('Before you continue').slice(6)}`;
    const { pages, leftOut } = await read(false, (path, response) => {
      html(response, path === '/c' ? page('Own text') : wall(path === '/fr' ? 'fr' : 'en'));
    });
    expect(pages).to.deep.equal(['/', '/c', '/fr']);
    expect(leftOut).to.deep.equal([
      {
        reason: COPY,
        count: 2,
        first: urls('/a', '/b').map((where) => ({
          where,
          linked_from: `${site.origin}/sitemap.xml`,
          instead: `${site.origin}/`,
        })),
      },
    ]);
  });

  it('stay left out where the page that they equal has not changed since the last sync', async () => {
    listed = ['/', '/a'];
    const seen = new Map<string, Validators>();
    const known = { get: (url: string) => seen.get(url), set: seen.set.bind(seen) };
    const answers: Answer = (path, response, request) => {
      if (request.headers['if-none-match'] !== undefined) response.writeHead(304).end();
      else html(response, page('Home'), path === '/' ? { etag: '"1"' } : {});
    };
    expect((await read(false, answers, { known })).pages).to.deep.equal(['/']);
    const again = await read(false, answers, { known });
    expect([again.pages, again.unchanged]).to.deep.equal([[], ['/']]);
    expect(again.leftOut.map(({ reason }) => reason)).to.deep.equal([COPY]);
  });

  const SHELLS = {
    'an empty element': '<div id="root"></div><script type=module src=/app.js></script>',
    'a notice for browsers without scripts':
      '<noscript>You need to enable JavaScript to run this app.</noscript><div id=app></div><script src=/a.js></script>',
    'a word about loading': '<app-root>Loading…</app-root><script src=/main.js></script>',
    'a word about loading in German': '<div id=app><p>Seite wird geladen ...</p></div><script>start()</script>',
    'a visible notice': '<div id=root>Bitte aktivieren Sie JavaScript.</div><script src=/a.js></script>',
    'a pixel of a tag manager':
      '<noscript><iframe src=/ns.html></iframe><img src=/p.gif></noscript><div id=__next></div><script src=/n.js></script>',
  };
  for (const [name, body] of Object.entries(SHELLS))
    it(`are said to be shells of scripts: ${name}`, async () => {
      listed = ['/', '/rent', '/repair'];
      const shell = (path: string): string => `<html><title>Acme ${path}</title><body>${body}</body></html>`;
      const failed = await read(false, (path, response) => {
        html(response, shell(path));
      }).then(() => 'read', String);
      expect(failed)
        .to.match(/gave no page/)
        .and.to.match(/before a browser runs its scripts/)
        .and.to.match(/API/);
      const mixed = await read(false, (path, response) => {
        html(response, path === '/' ? page('Home') : shell(path));
      });
      expect([mixed.pages, mixed.refused.length]).to.deep.equal([['/'], 2]);
    });

  const PAGES = {
    'few words beside scripts':
      '<main><h1>Hours</h1><p>We are open from nine to six.</p></main><script src=/s.js></script>',
    'pictures alone': '<img src=/tower.jpg><script src=/s.js></script>',
    'a title alone, without scripts': '<div></div>',
    'data for search engines': '<script type="application/ld+json">{}</script>',
    'a text for browsers without scripts': `<noscript>${'Words of the page. '.repeat(20)}</noscript><script src=/s.js></script>`,
  };
  for (const [name, body] of Object.entries(PAGES))
    it(`are not taken for shells: ${name}`, async () => {
      listed = ['/a'];
      const { pages } = await read(false, (_path, response) => {
        html(response, `<html><title>Eiffel tower</title><body>${body}</body></html>`);
      });
      expect(pages).to.deep.equal(['/a']);
    });
});
