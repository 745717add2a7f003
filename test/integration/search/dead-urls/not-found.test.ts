import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { waitUntilVisible } from '#src/projects/index-changes.js';
import { updateProject } from '#src/projects/store/projects.js';
import { packageRoot } from '#src/base/package-root.js';
import { startInPlace } from '../../../support/broken-pathmend.js';
import { expectError } from '../../../support/expect-error.js';
import { redirect } from '../../../support/learned-redirects.js';
import type { TestProject } from '../../../support/service.js';
import { sharedService } from '../../../support/shared-service.js';
import { storedClicks, storedNotFounds } from '../../../support/stored-events.js';
import { startWebServer, webServerProgram } from '../../../support/web-servers.js';

const SITE = 'https://shop.example';
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const SCRIPT = '<script>alert("title")</script> & [nibs](x)';

const OWN_PAGE = 'the own page of the application';
const ASSISTANT =
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot';

describe('GET /v1/not-found', () => {
  let project: TestProject;

  beforeEach(async () => {
    project = await sharedService().newProject();
    await project.upsert({
      url: `${SITE}/catalogue/fountain-pens`,
      title: SCRIPT,
      content: 'Fountain pens with steel and golden nibs, in blue and black.',
    });
    await project.upsert({ url: `${SITE}/help/returns`, content: 'Send an item back within thirty days.' });
    await project.indexed();
  });

  const ask = (url: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${sharedService().service.url}/v1/not-found?url=${encodeURIComponent(url)}`, {
      redirect: 'manual',
      headers: { Authorization: `Bearer ${project.key}`, 'User-Agent': BROWSER, ...headers },
    });
  const outcomes = async (count: number): Promise<string[]> => {
    const rows = await storedNotFounds(sharedService().service, project.row.project_id, count);
    return rows.map(({ raw_path, outcome }) => `${raw_path} ${outcome}`);
  };
  /** Near enough to be shown, not to redirect. */
  const DOUBTFUL = '/inks-and-nibs-of-pens';

  it('redirects to the page that is nearly certain, and records it', async () => {
    const answer = await ask(`${SITE}/catalog/fountain-pen.html?utm=1`, { Referer: 'https://blog.example/pens' });
    expect(answer.status).to.equal(302);
    expect(answer.headers.get('location')).to.equal(`${SITE}/catalogue/fountain-pens`);
    const [row] = await storedNotFounds(sharedService().service, project.row.project_id, 1);
    expect(row).to.deep.include({
      raw_path: '/catalog/fountain-pen.html?utm=1',
      origin: SITE,
      outcome: 'redirected',
      referrer: 'https://blog.example/pens',
      user_agent: BROWSER,
      visitor: 'person',
      visitor_ip: null,
    });
    expect(row?.search_id).to.be.a('string');
  });

  it('keeps answers apart in caches by whatever decides them: the key, Accept, and headers, those that are absent too', async () => {
    const varyOf = async (query: string, headers: Record<string, string>): Promise<string[]> => {
      const answer = await fetch(`${sharedService().service.url}/v1/not-found${query}`, {
        redirect: 'manual',
        headers: { Authorization: `Bearer ${project.key}`, ...headers },
      });
      expect(answer.status).to.be.within(302, 404);
      return (answer.headers.get('vary') ?? '').split(/,\s*/);
    };
    const always = ['Accept', 'Authorization', 'X-Original-Host', 'X-Pathmend-Click', 'X-Pathmend-Search'];
    const named = [...always, 'X-Original-URI'];
    expect(await varyOf('', { 'X-Original-URI': DOUBTFUL })).to.have.members(named);
    expect(await varyOf('', { 'X-Original-URI': '/catalog/fountain-pens' })).to.have.members(named);
    expect(await varyOf(`?url=${DOUBTFUL}`, { 'X-Original-URI': '/other' })).to.have.members(always);
  });

  it('shows suggestions in a page in which no title is markup and nothing is loaded', async () => {
    const answer = await ask(DOUBTFUL, { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
    expect(answer.status).to.equal(404);
    expect(answer.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    const policy = answer.headers.get('content-security-policy');
    expect(answer.headers.get('vary')).to.include('Accept');
    const html = await answer.text();
    expect(html).to.include(`<a href="${SITE}/catalogue/fountain-pens">`);
    expect(html).not.to.match(/<script|<img|<link|<form|url\(|@import/i);
    const style = /<style>(.*?)<\/style>/s.exec(html)?.[1] ?? '';
    expect(policy).to.equal(
      `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; form-action 'none'; base-uri 'none'`,
    );
    expect(html).to.include('<a href="/">Go to the home page</a>');
    expect(await outcomes(1)).to.deep.equal([`${DOUBTFUL} suggested`]);
  });

  it('is JSON or Markdown for who asks for it', async () => {
    const json = await ask(DOUBTFUL, { Accept: 'application/json' });
    const { error } = (await json.json()) as { error: { code: string; details: { suggestions: { url: string }[] } } };
    expect(error.code).to.equal('not_found');
    expect(error.details.suggestions[0]?.url).to.equal('/catalogue/fountain-pens');
    const markdown = await ask(DOUBTFUL, { Accept: 'text/markdown' });
    expect(markdown.headers.get('content-type')).to.equal('text/markdown; charset=utf-8');
    expect(await markdown.text()).to.include(
      `- [\\<script\\>alert("title")\\</script\\> \\& \\[nibs\\](x)](<${SITE}/catalogue/fountain-pens>)`,
    );
  });

  it('is Markdown for an assistant that asks as a browser does, begins with the nearest page, and no cache keeps it', async () => {
    const headers = { Accept: 'text/html,*/*;q=0.8', 'User-Agent': ASSISTANT };
    const answer = await ask(DOUBTFUL, headers);
    expect(answer.headers.get('content-type')).to.equal('text/markdown; charset=utf-8');
    expect(answer.headers.get('cache-control')).to.equal('no-store');
    expect(await answer.text()).to.match(
      /^The nearest page is \[.+\]\(<https:\/\/\S+\/catalogue\/fountain-pens>\)\.\n/,
    );
    const json = await ask(DOUBTFUL, { ...headers, Accept: 'application/json' });
    expect(json.headers.get('content-type')).to.include('application/json');
  });

  it('says that a page is gone, though its path has no word to search for', async () => {
    const paths = ['/catalogue/fountain-pen', '/123', '/?p=7'];
    const folder = await mkdtemp(join(tmpdir(), 'pathmend-gone-'));
    await redirect(sharedService().service, project, folder, ...paths.map((path) => `${path} 410`));
    await rm(folder, { recursive: true });
    await waitUntilVisible();
    for (const path of paths) {
      const answer = await ask(path, { Accept: 'text/html' });
      expect(answer.status, path).to.equal(410);
      expect(await answer.text()).to.include('This page is gone');
    }
    for (const path of ['/124', '/?p=8', '/']) expect((await ask(path)).status, path).to.equal(404);
    expect((await project.post('/v1/suggest', { path: '/123' })).body.suggestions).to.deep.equal([]);
    expect((await outcomes(6)).filter((outcome) => outcome.endsWith(' gone'))).to.deep.equal(
      paths.map((path) => `${path} gone`),
    );
  });

  it("has a field for the site's own search, where the project names it", async () => {
    const { db } = sharedService().service;
    const searchedBy = (address: string | null): Promise<unknown> =>
      updateProject(db, project.row.project_id, { site_search: address });
    await searchedBy('/find?lang=en&q=');
    const answer = await ask(DOUBTFUL, { Accept: 'text/html' });
    expect(answer.headers.get('content-security-policy')).to.include("form-action 'self'");
    const html = await answer.text();
    expect(html).to.include('<form action="/find" role="search">');
    expect(html).to.include('<input type="hidden" name="lang" value="en">');
    expect(html).to.include('type="search" name="q"');
    await searchedBy('https://find.example/?s=');
    const other = await ask(DOUBTFUL, { Accept: 'text/html' });
    expect(other.headers.get('content-security-policy')).to.include('form-action https://find.example;');
    expect(await other.text()).to.include('<form action="https://find.example/" role="search">');
  });

  it('suggests no page for a picture, a style sheet or a script, and obeys its rule', async () => {
    for (const path of ['/img/inks-and-nibs-of-pens.png', '/inks-and-nibs-of-pens.css', '/fountain-pens.js']) {
      const answer = await ask(path, { Accept: 'text/html' });
      expect(answer.status, path).to.equal(404);
      expect(await answer.text()).not.to.include('You may be looking for');
    }
    const folder = await mkdtemp(join(tmpdir(), 'pathmend-asset-'));
    await redirect(sharedService().service, project, folder, '/img/pen.png /catalogue/fountain-pens');
    await rm(folder, { recursive: true });
    await waitUntilVisible();
    expect((await ask('/img/pen.png')).headers.get('location')).to.equal(`${SITE}/catalogue/fountain-pens`);
  });

  it('says so when there is nothing to show', async () => {
    project = await sharedService().newProject();
    const answer = await ask('/nothing');
    expect(answer.status).to.equal(404);
    expect(await outcomes(1)).to.deep.equal(['/nothing nothing']);
  });

  it('refuses what is no url, and a key that is none', async () => {
    expectError(await project.call('GET', '/v1/not-found'), 400, 'url');
    expectError(await project.call('GET', '/v1/not-found?url=https://'), 400, 'url');
    expect((await ask('/x', { Authorization: 'Bearer none' })).status).to.equal(401);
  });

  it('is a page also where it redirects, for Traefik, whose recipe in docs/start/missing-pages.md asks so', async () => {
    const document = await readFile(join(packageRoot(), 'docs/start/missing-pages.md'), 'utf8');
    const recipe = parse(/```yaml\n(http:.*?)```/s.exec(document)?.[1] ?? '') as {
      http: Record<'routers' | 'middlewares' | 'services', Record<string, Record<string, unknown>>>;
    };
    const { routers, middlewares, services } = recipe.http;
    const errors = middlewares['missing']?.['errors'] as { service: string; query: string };
    const key = middlewares['key']?.['headers'] as { customRequestHeaders: { Authorization: string } };
    for (const { service, middlewares: used } of Object.values(routers) as {
      service: string;
      middlewares: string[];
    }[]) {
      expect(services).to.have.property(service);
      for (const middleware of used) expect(middlewares).to.have.property(middleware);
    }
    expect(services).to.have.property(errors.service);
    const query = errors.query.replace('{url}', encodeURIComponent('/catalog/fountain-pen.html?a=1&b=2'));
    const answer = await fetch(sharedService().service.url + query, {
      headers: {
        Accept: 'text/html',
        Authorization: key.customRequestHeaders.Authorization.replace('pm_live_…', project.key),
      },
      redirect: 'manual',
    });
    expect([answer.status, answer.headers.get('location')]).to.deep.equal([302, `${SITE}/catalogue/fountain-pens`]);
    expect(await answer.text()).to.include(`<a href="${SITE}/catalogue/fountain-pens">`);
  });

  for (const [name, title] of [
    ['nginx', 'nginx, a site of files'],
    ['nginx', 'nginx, before an application'],
    ['apache2', 'Apache'],
    ['caddy', 'Caddy'],
  ] as const) {
    it(`is what a server shows by the lines of missing-pages.md for ${title}, and its own 404 page when pathmend is down`, async function () {
      if (webServerProgram(name) === undefined && process.env['CI'] !== 'true') this.skip();
      const document = await readFile(join(packageRoot(), 'docs/start/missing-pages.md'), 'utf8');
      const [, recipe = ''] = new RegExp(`\\*\\*${title}\\*\\*.*?\`\`\`\\w+\\n(.*?)\`\`\``, 's').exec(document) ?? [];
      const requests: string[] = [];
      const application = await startInPlace((request, response) => {
        requests.push(`${request.method} ${request.url}`);
        response.writeHead(request.url === '/live/' ? 200 : 404).end(OWN_PAGE);
      });
      // nginx hands on the request as it was; the others could not tell its parameters from their own.
      const query = (text: string): string => (name === 'nginx' ? text : '');
      const rules = (target: string): string =>
        recipe
          .replaceAll('http://127.0.0.1:8080', target)
          .replaceAll('http://127.0.0.1:3000', application.url)
          .replaceAll('pm_live_…', project.key);
      const server = await startWebServer(name, rules(sharedService().service.url), ['/404.html', '/live']);
      try {
        expect(await server.ask('/catalog/fountain-pen.html?a=1&b=2')).to.deep.equal({
          status: 302,
          location: `${SITE}/catalogue/fountain-pens`,
        });
        expect((await server.ask('/live/')).status).to.equal(200);
        const page = await fetch(`${server.url}${DOUBTFUL}`, {
          headers: { Accept: 'text/html', 'User-Agent': BROWSER },
        });
        expect(page.status).to.equal(404);
        const [, link = ''] = /<li><a href="([^"]+)">/.exec(await page.text()) ?? [];
        expect(link).to.match(/^\/\.pathmend\/click\?search_id=[\w-]+&amp;rank=1$/);
        const follow = (headers: Record<string, string>): Promise<Response> =>
          fetch(server.url + link.replace('&amp;', '&'), { redirect: 'manual', headers });
        const first = await follow({ 'User-Agent': BROWSER, 'Sec-Purpose': 'prefetch' });
        for (const { status, headers } of [first, await follow({ 'User-Agent': BROWSER })])
          expect([status, headers.get('location')]).to.deep.equal([302, `${SITE}/catalogue/fountain-pens`]);
        expect(await storedClicks(sharedService().service, project.row.project_id, 1)).to.have.length(1);
        // A link that is too old shows no error of ours where the server can tell.
        const unknown = await fetch(`${server.url}/.pathmend/click?search_id=${randomUUID()}&rank=1`);
        expect(unknown.status).to.equal(404);
        const shown = await unknown.text();
        if (name === 'nginx') expect(shown).not.to.include('not_found');
        expect(shown.includes(OWN_PAGE)).to.equal(title === 'nginx, before an application');
        // More 404s may be there: the wait for the server's start asks for one too.
        const recordedOutcomes = await outcomes(3);
        expect(recordedOutcomes).to.include(`/catalog/fountain-pen.html${query('?a=1&b=2')} redirected`);
        // The sums by hour may have run since the click, and then say "clicked".
        expect(
          recordedOutcomes.filter((outcome) => /^\/inks-and-nibs-of-pens (?:suggested|clicked)$/.test(outcome)),
        ).to.have.length(1);
        // Nothing of a path is read as a parameter, nor as a blank.
        for (const path of [
          '/a&referrer=https://evil.example/',
          '/c+b%26d',
          '/100%25/%C3%BC',
          '/missing?url=/x&referrer=https://evil.example/',
        ])
          await server.ask(path);
        const recorded = (await storedNotFounds(sharedService().service, project.row.project_id, 7)).map(
          ({ raw_path, referrer }) => ({ path: raw_path, referrer }),
        );
        expect(recorded.map(({ path }) => path)).to.include.members([
          '/a&referrer=https://evil.example/',
          `/missing${query('?url=/x&referrer=https://evil.example/')}`,
        ]);
        expect(
          recorded.filter(({ path }) => /^\/c\+b(?:&|%26)d$/.test(path)),
          JSON.stringify(recorded),
        ).to.have.length(1);
        // Caddy hands on the decoded path.
        expect(
          recorded.filter(({ path }) => /^\/100%(?:25)?\/(?:ü|%C3%BC)$/.test(path)),
          JSON.stringify(recorded),
        ).to.have.length(1);
        expect(recorded.filter(({ referrer }) => referrer !== null)).to.deep.equal([]);
      } finally {
        await server.stop();
      }
      const alone = await startWebServer(name, rules('http://127.0.0.1:1'), ['/404.html']);
      try {
        requests.length = 0;
        const answer = await fetch(`${alone.url}/catalog/fountain-pen.html?a=1`, { method: 'POST', body: 'a form' });
        expect(answer.status).to.equal(404);
        const isOwnPage = (await answer.text()).includes(OWN_PAGE);
        // The application is asked for its page, and gets no form a second time.
        const twice = ['POST /catalog/fountain-pen.html?a=1', 'GET /catalog/fountain-pen.html?a=1'];
        expect([isOwnPage, requests]).to.deep.equal(
          title === 'nginx, before an application' ? [true, twice] : [false, []],
        );
      } finally {
        await alone.stop();
        await application.stop();
      }
    });
  }
});
