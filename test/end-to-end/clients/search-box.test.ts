import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { packageRoot } from '#src/base/package-root.js';
import { AS_YOU_TYPE } from '#src/search/dead-urls/as-you-type.js';
import { createClient, handleNotFound, type NotFoundOptions } from '#clients/js/index.js';
import { startInPlace } from '../../support/broken-pathmend.js';
import type { Listening } from '../../support/listen.js';
import { openTab, startBrowser, type Tab } from '../../support/browser.js';
import type { TestProject } from '../../support/service.js';
import { sharedService } from '../../support/shared-service.js';
import { SITES } from '../../support/sites.js';
import { loggedSearches, storedClicks } from '../../support/stored-events.js';
import { startWebServer } from '../../support/web-servers.js';

const SITE = 'https://shop.example';
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const QUESTION = 'when do you send my money back';

/** A site whose 404 page has the field, and what its links to pages begin with. */
const SERVERS: Record<string, (key: string) => Promise<{ url: string; stop: () => Promise<void> }>> = {
  nginx: async (key) => {
    const document = await readFile(join(packageRoot(), 'docs/start/missing-pages.md'), 'utf8');
    const [files = '', , field = ''] = [...document.matchAll(/```nginx\n(.*?)```/gs)].map(([, text]) => text);
    const lines = `${files}\n${field}`;
    const line = 'proxy_set_header X-Pathmend-Search /.pathmend/search;';
    const rules = lines
      .replace('rewrite ^ /v1/not-found?', `${line}\nrewrite ^ /v1/not-found?`)
      // The machine may be busy.
      .replace(/(_timeout) \d+m?s/g, '$1 30s')
      .replaceAll('http://127.0.0.1:8080', sharedService().service.url)
      .replaceAll('pm_live_…', key);
    return startWebServer('nginx', rules, ['/404.html']);
  },
  express: async (key) => {
    const document = await readFile(join(packageRoot(), 'docs/start/missing-pages.md'), 'utf8');
    expect(document).to.include("app.use(expressNotFound(pathmend, { searchPath: '/.pathmend/search' }));");
    const client = createClient({ url: sharedService().service.url, key, timeoutMs: 20_000 });
    const site = SITES['express'];
    if (!site) throw new Error('there is no site of Express');
    return site(client, { searchPath: '/.pathmend/search' });
  },
};

describe('a search field in a browser', function () {
  this.timeout(120_000);
  let browser: Browser;
  let project: TestProject;

  before(async () => {
    browser = await startBrowser();
  });
  after(() => browser.close());
  beforeEach(async () => {
    project = await sharedService().newProject();
    const pages = {
      '/help/returns': ['Returns & <b>refunds</b>', 'Send an item back within thirty days. Refunds take a week.'],
      '/catalogue/fountain-pens': ['Fountain pens', 'Fountain pens with steel and golden nibs, in blue and black.'],
    };
    for (const [path, [title = '', content = '']] of Object.entries(pages))
      await project.upsert({ url: SITE + path, title, content });
    await project.indexed();
  });

  for (const [name, start] of Object.entries(SERVERS))
    describe(`of ${name}`, () => {
      let server: Awaited<ReturnType<typeof start>>;
      let tab: Tab;
      /** Requests for typed words. */
      let typed: string[];

      const open = async (options: Parameters<typeof openTab>[1] = {}): Promise<void> => {
        tab = await openTab(browser, options);
        typed = [];
        tab.page.on('request', (request) => {
          const query = new URL(request.url()).searchParams;
          if (query.get('by') === 'words') typed.push(query.get('query') ?? '');
        });
        await tab.page.goto(`${server.url}/inks-and-nibs-of-pens`);
      };
      const field = () => tab.page.getByRole('searchbox', { name: 'Search this site' });
      const links = () => tab.page.locator('#found a');

      beforeEach(async () => {
        server = await start(project.key);
      });
      afterEach(async () => {
        expect(tab.complaints).to.deep.equal([]);
        await tab.close();
        await server.stop();
      });

      it('shows links while somebody types, with one request after the last key, and says how many', async () => {
        await open({ width: 390 });
        await field().pressSequentially('refun', { delay: 20 });
        await links().first().waitFor();
        expect(await links().allInnerTexts()).to.deep.equal(['Returns & <b>refunds</b>']);
        expect(typed).to.deep.equal(['refun']);
        expect(await tab.page.getByRole('status').innerText()).to.match(/^1 page with these words\./);
        expect(new URL((await links().first().getAttribute('href')) ?? '', server.url).pathname).to.equal(
          '/help/returns',
        );
        expect(await tab.page.evaluate('document.documentElement.scrollWidth')).to.equal(390);
        expect(await tab.axe()).to.deep.equal([]);
        await field().fill('');
        await links().first().waitFor({ state: 'detached' });
        expect(await tab.page.getByRole('status').innerText()).to.equal('');
      });

      it('shows the answer to what is typed now, not one that comes later', async () => {
        await open();
        let release = (): void => undefined;
        const held = new Promise<void>((done) => (release = done));
        await tab.page.route(/query=fount&/, async (route) => {
          await held;
          await route.continue().catch(() => undefined);
        });
        const [first] = await Promise.all([tab.page.waitForRequest(/query=fount&/), field().fill('fount')]);
        await field().fill('returns');
        await links().getByText('Returns').waitFor();
        release();
        await tab.page.waitForLoadState('networkidle');
        expect(first.failure()?.errorText).to.match(/abort/i);
        expect(await links().allInnerTexts()).to.deep.equal(['Returns & <b>refunds</b>']);
      });

      for (const script of [true, false])
        it(`searches by meaning on Enter ${script ? 'with' : 'without'} JavaScript, and counts the click`, async () => {
          await open({ script, width: 390 });
          await field().fill(QUESTION);
          await Promise.all([tab.page.waitForEvent('load'), field().press('Enter')]);
          expect(new URL(tab.page.url()).searchParams.get('query')).to.equal(QUESTION);
          expect(await field().inputValue()).to.equal(QUESTION);
          expect(await links().first().innerText()).to.equal('Returns & <b>refunds</b>');
          if (script) expect(await tab.axe()).to.deep.equal([]);
          await loggedSearches(sharedService().service, project.row.project_id, 1);
          const link = (await links().first().getAttribute('href')) ?? '';
          const clicked = await fetch(server.url + link, {
            redirect: 'manual',
            headers: { 'User-Agent': BROWSER },
          });
          expect(clicked.headers.get('location')).to.match(/\/help\/returns$/);
          const [click] = await storedClicks(sharedService().service, project.row.project_id, 1);
          expect(click?.raw_path).to.equal(QUESTION);
          const stored = await project.query<{ input: string }>(
            "select input from pathmend.searches where project_id = $1 and kind in ('search', 'semantic-search')",
          );
          expect(stored.map(({ input }) => input)).to.deep.equal([QUESTION]);
        });

      it('does not send a blank, and shows markup as it is typed', async () => {
        await open();
        await field().fill('   ');
        await field().press('Enter');
        expect(await tab.page.evaluate('document.getElementById("words").matches(":invalid")')).to.equal(true);
        const markup = '"><img src=x onerror=alert(1)> pens';
        await field().fill(markup);
        await Promise.all([tab.page.waitForEvent('load'), tab.page.getByRole('button', { name: 'Search' }).click()]);
        expect(await field().inputValue()).to.equal(markup);
        expect(await tab.page.locator('img').count()).to.equal(0);
      });
    });

  it('has one script, in the client as in the service', async () => {
    const { AS_YOU_TYPE: ofClient } = (await import(join(packageRoot(), 'clients/js/src/as-you-type.js'))) as {
      AS_YOU_TYPE: string;
    };
    expect(ofClient).to.equal(AS_YOU_TYPE);
  });
});

describe('the search field of the JavaScript client', () => {
  const options = { searchPath: '/.pathmend/search' };
  const running: Listening[] = [];
  after(() => Promise.all(running.map((server) => server.stop())));

  /** A server in pathmend's place, and the paths that it was asked for. */
  async function start(answer: (response: ServerResponse) => void, timeoutMs = 10_000) {
    const paths: string[] = [];
    const server = await startInPlace((request, response) => {
      paths.push(request.url ?? '');
      answer(response);
    });
    running.push(server);
    const client = createClient({ url: server.url, key: 'pm_live_key', timeoutMs });
    const visit = (path: string, more: NotFoundOptions<Request> = options, headers = { Accept: 'text/html' }) =>
      handleNotFound(new Request(SITE + path, { headers }), { client, ...more });
    return { paths, visit };
  }
  const suggest = (response: ServerResponse): void => {
    const suggestions = [
      { url: '/a"><script>', title: '<b>A</b>', score: 0.9 },
      { url: '//evil.example/', title: 'Evil', score: 0.8 },
    ];
    response.writeHead(200).end(JSON.stringify({ suggestions, search_id: randomUUID() }));
  };

  for (const [what, answer] of Object.entries<(response: ServerResponse) => void>({
    'does not answer in time': () => undefined,
    'is overloaded': (response) => response.writeHead(503, { 'Retry-After': '1' }).end('{}'),
    'answers with something else': (response) => response.writeHead(200).end('<h1>Hello</h1>'),
    'breaks off': (response) => response.destroy(),
  }))
    for (const by of ['words', 'meaning'])
      it(`leaves the site's own 404 page if pathmend ${what}, by ${by}`, async () => {
        const errors: Error[] = [];
        const { visit } = await start(answer, 100);
        const onError = (error: Error): unknown => errors.push(error);
        expect(await visit(`/.pathmend/search?by=${by}&query=pens`, { ...options, onError })).to.equal(undefined);
        expect(errors).to.have.length(1);
      });

  it('asks for no blank and for nothing too long, and by another path than the search field only if it has one', async () => {
    const { paths, visit } = await start(suggest);
    for (const query of ['', '?query=', '?query=%20', `?query=${'x'.repeat(2_001)}`])
      expect(await visit(`/.pathmend/search${query}`), query).to.equal(undefined);
    expect(paths).to.deep.equal([]);
    const page = await (await visit('/.pathmend/search?query=a', {}))?.text();
    expect(paths).to.include('/v1/suggest');
    expect(page).not.to.match(/<form|<script/);
  });

  it('links to pages of the site alone, and escapes what it shows', async () => {
    const { visit } = await start(suggest);
    for (const by of ['words', 'meaning']) {
      const html = (await (await visit(`/.pathmend/search?by=${by}&query=%22%3E%3Cscript%3E`))?.text()) ?? '';
      expect(html).to.include('value="&#34;&#62;&#60;script&#62;"').and.to.include('&#60;b&#62;A&#60;/b&#62;');
      expect(html).not.to.match(/evil|"><script>/i);
      expect(html.match(/<script>/g)).to.have.length(1);
    }
  });

  it('is JSON, and what the site renders, if that is wanted', async () => {
    const { visit } = await start(suggest);
    const json = (await (
      await visit('/.pathmend/search?query=pens', options, { Accept: 'application/json' })
    )?.json()) as object;
    expect(json).to.have.all.keys('suggestions', 'search_id');
    const render: NotFoundOptions['render'] = (links, { query, status, searchPath, isTyped }) =>
      [links.length, query, status, searchPath, isTyped].join(' ');
    const rendered = await visit('/.pathmend/search?query=pens&by=words', { ...options, render });
    expect([rendered?.status, await rendered?.text()]).to.deep.equal([200, '1 pens 200 /.pathmend/search true']);
  });
});
