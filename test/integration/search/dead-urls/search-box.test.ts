import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { updateProject } from '#src/projects/store/projects.js';
import { parseTemplate } from '#src/search/dead-urls/template.js';
import { packageRoot } from '#src/base/package-root.js';
import { expectError } from '../../../support/expect-error.js';
import type { TestProject } from '../../../support/service.js';
import { sharedService } from '../../../support/shared-service.js';
import { loggedSearches, storedClicks } from '../../../support/stored-events.js';
import { startWebServer, webServerProgram } from '../../../support/web-servers.js';

const SITE = 'https://shop.example';
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const ROBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const MARKUP = '<script>alert("title")</script> & nibs';
const HTML = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const SEARCH = { 'X-Pathmend-Search': '/.pathmend/search' };

describe('the search field', () => {
  let project: TestProject;

  beforeEach(async () => {
    project = await sharedService().newProject();
    await project.upsert({
      url: `${SITE}/catalogue/fountain-pens`,
      title: MARKUP,
      content: 'Fountain pens with steel and golden nibs, in blue and black.',
    });
    await project.upsert({ url: `${SITE}/help/returns`, content: 'Send an item back within thirty days.' });
    await project.upsert({ url: `${SITE}/help/handwriting`, content: 'Handwriting lessons for beginners.' });
    await project.indexed();
  });

  const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(sharedService().service.url + path, {
      headers: { Authorization: `Bearer ${project.key}`, 'User-Agent': BROWSER, ...HTML, ...headers },
    });
  const find = (query: string, rest = '', headers: Record<string, string> = SEARCH): Promise<Response> =>
    get(`/v1/search?query=${encodeURIComponent(query)}${rest}`, headers);
  /** Urls that are found, as JSON. */
  const urls = async (query: string, by: string): Promise<string[]> => {
    const { body } = await project.call('GET', `/v1/search?by=${by}&query=${encodeURIComponent(query)}`);
    return (body.suggestions as { url: string }[]).map(({ url }) => url);
  };
  const searches = () =>
    project.query<{ input: string; kind: string; of_others: boolean }>(
      'select input, kind, of_others from pathmend.searches where project_id = $1 order by searched_at',
    );

  it('is on the 404 page where the header names a path, with a policy that lets in its script alone', async () => {
    const answer = await get('/v1/not-found?url=/inks-and-nibs', SEARCH);
    const html = await answer.text();
    expect(html).to.include('<form action="/.pathmend/search" role="search">');
    expect(html).to.match(/<input id="words" type="search" name="query" required [^>]*value="">/);
    const hashOf = (element: string): string => {
      const [, text = ''] = new RegExp(`<${element}>(.*?)</${element}>`, 's').exec(html) ?? [];
      return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    };
    expect(answer.headers.get('content-security-policy')).to.equal(
      `default-src 'none'; style-src ${hashOf('style')}; script-src ${hashOf('script')}; connect-src 'self'; form-action 'self'; base-uri 'none'`,
    );
    expect(await (await get('/v1/not-found?url=/inks-and-nibs')).text()).not.to.match(/<form|<script/);
  });

  it("leaves the site's own search where the project names one", async () => {
    await updateProject(sharedService().service.db, project.row.project_id, { site_search: '/find?q=' });
    const answer = await get('/v1/not-found?url=/inks-and-nibs', SEARCH);
    const html = await answer.text();
    expect(html).to.include('<form action="/find" role="search">');
    expect(html).not.to.match(/<script|pathmend/);
    expect(answer.headers.get('content-security-policy')).not.to.include('script-src');
  });

  for (const path of [
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    '/a"onfocus="alert(1)',
    '/search?x=',
    `/${'a/'.repeat(30)}`,
  ])
    it(`is not there for ${path}, which may be a visitor's`, async () => {
      const headers = { 'X-Pathmend-Search': path };
      const page = await get('/v1/not-found?url=/inks-and-nibs', headers);
      expect(await page.text()).not.to.match(/<form|<script|evil/);
      expect((await find('pens', '', headers)).headers.get('content-type')).to.include('application/json');
    });

  it('may stand in a 404 page of your own, as the form in missing-pages.md', async () => {
    const document = await readFile(join(packageRoot(), 'docs/start/missing-pages.md'), 'utf8');
    const [form = ''] = /<form action="\/\.pathmend\/search">.*<\/form>/.exec(document) ?? [];
    const template = parseTemplate(form, 'not-found.html');
    expect(template.render({ heading: '', path: '/x', isGone: false, suggestions: [] })).to.equal(form);
    expect(template.contentSecurityPolicy).to.include("form-action 'self'");
    expect(form).to.include('name="query"');
  });

  it('leads to a page of what is found, in which neither query nor title is markup', async () => {
    const query = '"><script>alert(1)</script> fountain pens';
    const answer = await find(query);
    expect([answer.status, answer.headers.get('cache-control')]).to.deep.equal([200, 'no-store']);
    const html = await answer.text();
    expect(html).to.include('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt; fountain pens"');
    expect(html).to.include(`<a href="${SITE}/catalogue/fountain-pens">&lt;script&gt;`);
    expect(html.match(/<script>/g)).to.have.length(1);
    expect(answer.headers.get('content-security-policy')).to.include("form-action 'self'; base-uri 'none'");
  });

  it('finds by words what the last word, unfinished, may become; by meaning whole words', async () => {
    expect(await urls('handw', 'words')).to.deep.equal(['/help/handwriting']);
    expect(await urls('golden ni', 'words')).to.deep.equal(['/catalogue/fountain-pens']);
    // After a blank the word is whole.
    expect(await urls('handw ', 'words')).to.deep.equal([]);
    expect(await urls('zebra', 'words')).to.deep.equal([]);
    expect(await urls('_%', 'words')).to.deep.equal([]);
    const page = await (await find('handw', '&by=words')).text();
    expect(page).to.include('<p id="count" role="status">1 page with these words. Press Enter for a full search.</p>');
    expect(page).to.include(`<ul id="found"><li><a href="${SITE}/help/handwriting">`);
    expect(await (await find('zebra', '&by=words')).text()).to.include('No page with these words.');
  });

  it('finds by words what was indexed a moment ago, and nothing that was deleted', async () => {
    expect(await urls('calli', 'words')).to.deep.equal([]);
    await project.upsert({ url: `${SITE}/calligraphy`, content: 'Calligraphy for all.' });
    await project.indexed();
    expect(await urls('calli', 'words')).to.deep.equal(['/calligraphy']);
    await project.call('DELETE', '/v1/pages/delete', { url: `${SITE}/calligraphy` });
    expect(await urls('calli', 'words')).to.deep.equal([]);
  });

  it('stores what is searched for by Enter, with its visitor, and nothing that is typed', async () => {
    for (const typed of ['fo', 'fount', 'fountain p']) expect((await find(typed, '&by=words')).status).to.equal(200);
    await find('fountain pens');
    await find('golden nibs', '', { ...SEARCH, 'User-Agent': ROBOT });
    await loggedSearches(sharedService().service, project.row.project_id, 2);
    expect(await searches()).to.deep.equal([
      { input: 'fountain pens', kind: 'search', of_others: false },
      { input: 'golden nibs', kind: 'search', of_others: true },
    ]);
  });

  it('counts clicks on what Enter found, and has plain links while a visitor types', async () => {
    const headers = { ...SEARCH, 'X-Pathmend-Click': '/.pathmend/click' };
    const page = await (await find('fountain pens', '', headers)).text();
    const [, link = ''] = /<li><a href="\/\.pathmend\/click(\?search_id=[\w-]+&amp;rank=1)">/.exec(page) ?? [];
    const clicked = await fetch(`${sharedService().service.url}/v1/click${link.replace('&amp;', '&')}`, {
      headers: { Authorization: `Bearer ${project.key}`, 'User-Agent': BROWSER },
      redirect: 'manual',
    });
    expect(clicked.headers.get('location')).to.equal(`${SITE}/catalogue/fountain-pens`);
    const [click] = await storedClicks(sharedService().service, project.row.project_id, 1);
    expect([click?.raw_path, click?.clicked_rank]).to.deep.equal(['fountain pens', '1']);
    expect(await (await find('fountain', '&by=words', headers)).text()).not.to.include('/.pathmend/click');
  });

  it('is JSON for programs, with whatever header', async () => {
    const json = await find('fountain pens', '', { ...SEARCH, Accept: '*/*' });
    expect(await json.json()).to.have.all.keys('suggestions', 'search_id');
    expect((await find('fountain pens', '', {})).headers.get('content-type')).to.include('application/json');
  });

  it('is no way to split a header, or to send more than one', async () => {
    const { hostname, port } = new URL(sharedService().service.url);
    for (const value of ['/a\rX-Evil: 1', '/a\r\n /b', '/a\u0000', '/a\r\nX-Pathmend-Search: /b', '/a, /b', '/\xfc']) {
      const socket = connect(Number(port), hostname);
      socket.write(
        `GET /v1/not-found?url=/inks-and-nibs HTTP/1.1\r\nHost: a\r\nAccept: text/html\r\nConnection: close\r\nAuthorization: Bearer ${project.key}\r\nX-Pathmend-Search: ${value}\r\n\r\n`,
        'latin1',
      );
      const answer = await text(socket);
      expect(answer, JSON.stringify(value)).to.match(/^HTTP\/1\.1 40[04] /);
      expect(answer).not.to.match(/<form|X-Evil/);
    }
  });

  it('refuses what is no query, with the field that is wrong, and counts typing against the rate', async () => {
    const call = (rest: string) => project.call('GET', `/v1/search${rest}`, undefined, { ...HTML, ...SEARCH });
    const long = (characters: number) => encodeURIComponent('é'.repeat(characters));
    for (const by of ['words', 'meaning']) {
      expect((await call(`?by=${by}&query=${long(2_000)}`)).status).to.equal(200);
      expectError(await call(`?by=${by}&query=${long(2_001)}`), 400, 'query');
      expectError(await call(`?by=${by}&query=%20`), 400, 'query');
      expectError(await call(`?by=${by}&query=a&query=b`), 400, 'query');
      expectError(await call(`?by=${by}&query=a%00b`), 400, 'query');
      for (const odd of ['%ff%fe', '%f0%9f', '%ef%bf%bf', '%f4%8f%bf%bf', "'%22%5c", '%e0%b8%81'])
        expect((await call(`?by=${by}&query=x${odd}`)).status, odd).to.equal(200);
    }
    expectError(await call('?query=a&by=letters'), 400, 'by');
    expectError(await call('?query=a&limit=101'), 400, 'limit');
    project = await sharedService().newProject({ plan: 'hacker' });
    const flood = await Promise.all(Array.from({ length: 20 }, () => call('?by=words&query=pens')));
    expect(flood.filter(({ status }) => status === 200)).to.have.length.within(5, 9);
    expect(flood.filter(({ status }) => status === 429)).to.have.length.within(11, 15);
  });

  for (const [name, language, line, before] of [
    ['nginx', 'nginx', 'proxy_set_header X-Pathmend-Search /.pathmend/search;', 'rewrite ^ /v1/not-found?'],
    ['apache2', 'apache', '', ''],
    ['caddy', 'caddy', 'header_up X-Pathmend-Search /.pathmend/search', 'transport http'],
  ] as const) {
    it(`is what ${language} shows, by the lines in missing-pages.md, and its own 404 when pathmend is down`, async function () {
      if (webServerProgram(name) === undefined && process.env['CI'] !== 'true') this.skip();
      const document = await readFile(join(packageRoot(), 'docs/start/missing-pages.md'), 'utf8');
      const recipes = [...document.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map(
        ([, text = '']) => text,
      );
      const main = recipes.find((text) => text.includes('/v1/not-found')) ?? '';
      const search = recipes.find((text) => text.includes('/v1/search')) ?? '';
      expect(document).to.include(line);
      expect(main).to.include(before);
      const rules = (target: string): string =>
        `${main.replace(before, `${line}\n${before}`)}\n${search}`
          .replaceAll('http://127.0.0.1:8080', target)
          .replaceAll('pm_live_…', project.key);
      const server = await startWebServer(name, rules(sharedService().service.url), ['/404.html']);
      const ask = (path: string, redirect: RequestInit['redirect'] = 'follow'): Promise<Response> =>
        fetch(server.url + path, { headers: { ...HTML, 'User-Agent': BROWSER }, redirect });
      try {
        const page = await ask('/inks-and-nibs');
        expect(page.status).to.equal(404);
        expect(await page.text()).to.include('<form action="/.pathmend/search" role="search">');
        const results = await ask('/.pathmend/search?query=pens+%2B+%C3%BC+%22%26by%3Dwords');
        expect(results.status).to.equal(200);
        const html = await results.text();
        expect(html).to.include('value="pens + ü &quot;&amp;by=words"');
        const [, link = ''] = /<li><a href="(\/\.pathmend\/click[^"]+)">/.exec(html) ?? [];
        const clicked = await ask(link.replace('&amp;', '&'), 'manual');
        expect(clicked.headers.get('location')).to.equal(`${SITE}/catalogue/fountain-pens`);
        await storedClicks(sharedService().service, project.row.project_id, 1);
        expect(await (await ask('/.pathmend/search?by=words&query=handw')).text()).to.include('/help/handwriting');
        expect((await ask('/.pathmend/search?query=')).status).to.equal(name === 'nginx' ? 404 : 400);
      } finally {
        await server.stop();
      }
      const alone = await startWebServer(name, rules('http://127.0.0.1:1'), ['/404.html']);
      const { status } = await alone.ask('/.pathmend/search?query=pens');
      await alone.stop();
      expect(status).to.be.oneOf([404, 502, 503]);
    });
  }
});
